"""The sentences on results: what their form is, what is amiss in one by the contract, and how several are told as one.

Like `phrases`, a table of sentences with {slots}, without logic.
"""

# What an agent is told of its result's form; contract.json has the form.

FORM = "The result file has this form:"
SUMMARY_STAYS = "- The summary stays under about {limit} tokens."
BANDS = "| Confidence | Band | Evidence it needs |"
FAILED_FORM = "When the status is FAILED, the form is:"
CHECKLIST = "Before you hand in, go through this list and put it, ticked, at the end of the file:"

# What is amiss in a result: notes to the parent.

STATUS_GIVEN = '"{said}"'
NO_STATUS_GIVEN = "not given"
STATUS = "the status is {said}; it has to be one of {known}"
NO_SUMMARY = "there is no summary"
LONG_SUMMARY = "the summary has about {count} tokens (four characters each), the limit is {limit}"
NO_FINDINGS = "there are no findings"
NO_TABLE = "the findings of {kind} lack the table {names}"
NO_COLUMN = "the table {table} lacks the column {names}"
NO_REFERENCES = "there are no key references"
REFERENCES_NOWHERE = "key references without a file:line: {names}"
FINDINGS_NOWHERE = "findings without a file:line: {names}"
SINGLE_SOURCE = 'findings from a single source that are not marked "{words}": {names}'
NO_CODE = "security findings without the code they are about: {names}"
NO_SEVERITY = "issues without a severity ({known}): {names}"
OTHER_SEVERITY = "severities in other words than {known}: {names}"
READ_AS = "{stated} (read as {severity})"
NO_BLOCKER = "the status is {status}, but no blocker says what stands in the way"
NO_RESOLUTION = "blockers without a resolution: {names}"
OPEN_POINTS = "the pre-submission checklist has open points: {names}"
ERROR_LACKS = "the error result lacks {names}"
RECOVERABLE = 'Recoverable is "{said}"; it has to be true or false'

# What is amiss in its confidence.

NO_CONFIDENCE = "no confidence is given"
NO_NUMBER = 'the confidence has no number: "{said}"'
OUTSIDE = "the confidence {figure} is outside 0-100"
OTHER_BAND = "the confidence {figure} is called {called}, its band is {band}"
ISSUE_OUTSIDE = "the confidence of an issue is outside 0-100: {names}"
NO_COMPONENTS = "the confidence {figure} comes without {names}"
OTHER_MEAN = "the combined confidence is {combined}, but the mean of {verified} and {inferred} is {mean}"
OTHER_SUM = "the confidence is {figure}, but its components combine to {reached}"
NO_SECTION = "the confidence {figure} comes without a {name} section"
SECTION_LACKS = "the {name} lacks {names}"
OTHER_SCORE = "the confidence is {figure}, its justification is for {other}"
NO_UNCERTAINTY = "the confidence {figure} comes without an Uncertainty section"

# What could not be taken in.

NO_RESULT = "no result in the contract's form"
NOTHING_FOUND = "a finding has to say what was found (issue, title, description, …)"
ODD_CONFIDENCE = "the confidence {stated} is not from 0 to 100; the finding counts without it"

# Several results as one account.

FURTHER = "{left} further findings, {appendix} in the appendix: see {how}."
APPENDIX = "Appendix: low confidence, one reporter"
AS_WRITTEN = "Findings as they were written"
