"""Background subagents for Claude Code; read schemas/, then blocks, fields, questions, draft, signals, check, cli."""
