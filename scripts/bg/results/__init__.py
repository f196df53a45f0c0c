"""The result contract: reading results and findings, and merging them.

`form` is the contract itself, `markdown` reads text as models write it. `contract` reads a result, `issues` the
issues in it, `records` JSONL findings; `conformance` notes what is missing. `intake` takes in several, `merge`
combines them, `account` shows the merge.
"""
