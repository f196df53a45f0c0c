"""The signals and nothing else: their schemas, and how a block of text is read into a signal.

In reading order: `marks` (the kind of a single line), `blocks` (the blocks of a text), `fields` (the fields of
a block), `questions` (lists of questions), `draft` (fields repaired by the schema), `problems` (the faults that
remain, and the template that shows how to mend them), `signals` (the whole, and its written forms).
"""
