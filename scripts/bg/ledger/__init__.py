"""What is remembered: the only room that opens the database."""
