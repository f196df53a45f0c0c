"""Claude Code and nothing else: its events, answers and tools, the abilities of each version, and its files.

Input and output: `event`, `answer`, `tools` (their names and fields), `dialogs` (questions to the user).
The client: `versions` (which one runs this process, by its environment, and its abilities), `terminal` (its size and
theme).
Unexpected behaviour of a client: `drift` (an event lacks something) and `deviations` (the consequences).
Its files: `transcripts` (reading them), `agents` (where an agent's is), `activity` (what an agent does now), `origins`
(who said something), `arrivals` (waits for the record that proves that something has arrived), `receipts` (whether our
words have), `permissions` (settings files).
"""
