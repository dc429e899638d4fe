"""The life of one Task inside its process: discover, build, measure, keep."""
