"""One file per stage, named after it. The first stage of a build is in its framework's folder."""
