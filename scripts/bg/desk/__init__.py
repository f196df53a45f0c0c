"""What people look at: tables, checks, the doctor, the commands of bgctl."""
