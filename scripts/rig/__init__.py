"""Drives the real Claude Code against a scripted model on loopback: clients, model, session (standard library only)."""
