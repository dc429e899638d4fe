"""Every path and every file format on disk; locks; atomic writes."""
