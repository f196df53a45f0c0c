"""The four signals, pure: their schemas, and how a block of text is read into one."""
