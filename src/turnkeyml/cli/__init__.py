"""Words on the command line become API calls here."""
