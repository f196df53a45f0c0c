"""What each of the host's events does, one module a subject; `handlers` holds the table."""
