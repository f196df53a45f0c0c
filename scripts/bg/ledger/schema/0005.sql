-- Who said what counts as the user's word: a row for each thing that was typed, chosen or passed on, and how that was proven.
CREATE TABLE proofs (
  id INTEGER PRIMARY KEY, session TEXT, label TEXT, way TEXT, text TEXT, at REAL, transcript TEXT, place INTEGER,
  turn TEXT, call TEXT, looks INTEGER, proof TEXT, origin TEXT, judged REAL);
CREATE INDEX proofs_open ON proofs (session) WHERE proof IS NULL;
CREATE INDEX proofs_label ON proofs (label);
CREATE INDEX proofs_call ON proofs (call);
ALTER TABLE answers ADD COLUMN proof INTEGER;
ALTER TABLE retracted ADD COLUMN proof INTEGER;
ALTER TABLE retracted ADD COLUMN undone_by INTEGER;
ALTER TABLE windows ADD COLUMN proof INTEGER;
CREATE INDEX answers_proof ON answers (proof);
CREATE INDEX windows_proof ON windows (proof);
-- Agents that an agent of ours has launched itself, or has been refused.
CREATE TABLE children (
  id INTEGER PRIMARY KEY, label TEXT, parent TEXT, call TEXT UNIQUE, agent TEXT, description TEXT, kind TEXT,
  made REAL, ended REAL, refused TEXT);
CREATE INDEX children_label ON children (label);
CREATE INDEX children_agent ON children (agent);
PRAGMA user_version = 1;
