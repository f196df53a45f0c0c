"""The signals: one module each, with all that holds for that signal only; `kinds` finds it by its marker."""
