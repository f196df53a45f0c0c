"""Drives the real Claude Code against a scripted model on loopback, for tests and the demo; standard library only."""
