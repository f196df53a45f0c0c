"""The four signals, pure: their schemas, and how a block of text is read into one.

In the order of reading: `marks` (what one line is), `blocks` (the blocks of a text), `fields` (the fields of a
block), `questions` (lists of questions), `draft` (fields repaired by the schema), `problems` (what is wrong with
them), `signals` (the whole, and its forms in writing).
"""
