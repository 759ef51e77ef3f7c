"""What the tools of the desk share: reading tables, putting rows together, drawing."""
