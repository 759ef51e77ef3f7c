"""The tools of the builder: files, a shell, and pages."""
