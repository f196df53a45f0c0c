"""The sentences on results: what their form is, what could not be taken in, and how several are told as one.

Like `phrases`, a table of sentences with {slots}, without logic.
"""

# What an agent is told of its result's form; contract.json has the form.

FORM = "The result file has this form:"
SUMMARY_STAYS = "- The summary stays under about {limit} tokens."
BANDS = "| Confidence | Band | Evidence it needs |"
FAILED_FORM = "When the status is FAILED, the form is:"
CHECKLIST = "Before you hand in, go through this list and put it, ticked, at the end of the file:"

# What could not be taken in.

NO_RESULT = "no result in the contract's form"
NOTHING_FOUND = "a finding has to say what was found (issue, title, description, …)"
ODD_CONFIDENCE = "the confidence {stated} is not from 0 to 100; the finding counts without it"

# Several results as one account.

FURTHER = "{left} further findings, {appendix} in the appendix: see {how}."
APPENDIX = "Appendix: low confidence, one reporter"
AS_WRITTEN = "Findings as they were written"
