"""The tools of the desk, one a file."""
