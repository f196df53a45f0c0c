"""Claude Code and nothing else: its events, its answers, its tools, what each version can do, what it writes down."""
