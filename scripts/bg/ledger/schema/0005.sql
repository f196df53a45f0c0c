-- The check that the user named for a task, and what came of it after each of the task's runs.
ALTER TABLE tasks ADD COLUMN verify TEXT;
ALTER TABLE tasks ADD COLUMN verify_source TEXT;
CREATE TABLE verifications (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, run INTEGER, command TEXT, source TEXT, token TEXT, folder TEXT,
  made REAL, begun REAL, ended REAL, outcome TEXT, why TEXT, code INTEGER, seconds REAL, output TEXT, head TEXT,
  tree TEXT, dirty INTEGER, changed TEXT, meanwhile TEXT, UNIQUE (agent, run));
CREATE INDEX verifications_label ON verifications (label);
CREATE INDEX verifications_open ON verifications (label) WHERE ended IS NULL;
CREATE INDEX runs_ended ON runs (ended);
-- What had no effect in the last days is shown, and is little of all that was said.
CREATE INDEX proofs_judged ON proofs (proof, judged);
PRAGMA user_version = 4;
