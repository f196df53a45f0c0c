"""Claude Code and nothing else: its events, its answers, what each version can do, its transcripts."""
