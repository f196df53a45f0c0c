-- What was printed, and where its receipt will stand.
ALTER TABLE deliveries ADD COLUMN words TEXT;
ALTER TABLE deliveries ADD COLUMN place INTEGER;
ALTER TABLE deliveries ADD COLUMN carrier TEXT;
ALTER TABLE deliveries ADD COLUMN missed INTEGER;
CREATE INDEX deliveries_printed ON deliveries (session) WHERE seen IS NULL AND surfaced IS NOT NULL;
-- What a project is beside its path, what is closed, numbers for the order of calls, and a session's machine.
ALTER TABLE sessions ADD COLUMN root TEXT;
ALTER TABLE sessions ADD COLUMN machine TEXT;
ALTER TABLE tasks ADD COLUMN root TEXT;
ALTER TABLE tasks ADD COLUMN closed REAL;
ALTER TABLE launches ADD COLUMN window INTEGER;
ALTER TABLE launches ADD COLUMN identity TEXT;
CREATE INDEX launches_window ON launches (window);
CREATE INDEX launches_unbound ON launches (label) WHERE agent = '' AND failed IS NULL;
CREATE INDEX launches_lost ON launches (label) WHERE identity IN ('lost', 'given');
CREATE INDEX questions_open ON questions (label) WHERE state = 'open';
CREATE INDEX tasks_root ON tasks (root, state, session);
-- What the user typed or chose, to the character, whatever was understood of it; and answers that no longer count.
CREATE TABLE typed (
  id INTEGER PRIMARY KEY, session TEXT, at REAL, via TEXT, label TEXT, text TEXT, outcome TEXT, reading TEXT);
CREATE INDEX typed_label ON typed (label);
CREATE TABLE retracted (
  id INTEGER PRIMARY KEY, label TEXT, question INTEGER, kind TEXT, text TEXT, source TEXT, at REAL, typed INTEGER,
  gone REAL, replaced_by INTEGER, proof INTEGER, undone_by INTEGER);
CREATE INDEX retracted_question ON retracted (question);
CREATE INDEX retracted_gone ON retracted (gone);
CREATE INDEX retracted_replaced ON retracted (replaced_by);
CREATE INDEX retracted_undone ON retracted (undone_by);
-- Who said what counts as the user's word: a row for each thing typed, chosen or passed on, and how that was proven.
CREATE TABLE proofs (
  id INTEGER PRIMARY KEY, session TEXT, label TEXT, way TEXT, text TEXT, at REAL, transcript TEXT, place INTEGER,
  turn TEXT, call TEXT, looks INTEGER, proof TEXT, origin TEXT, judged REAL);
CREATE INDEX proofs_open ON proofs (session) WHERE proof IS NULL;
CREATE INDEX proofs_label ON proofs (label);
CREATE INDEX proofs_call ON proofs (call);
ALTER TABLE answers ADD COLUMN typed INTEGER;
ALTER TABLE answers ADD COLUMN proof INTEGER;
ALTER TABLE windows ADD COLUMN proof INTEGER;
CREATE INDEX answers_proof ON answers (proof);
CREATE INDEX windows_proof ON windows (proof);
-- Agents that an agent of ours has launched itself, or has been refused.
CREATE TABLE children (
  id INTEGER PRIMARY KEY, label TEXT, parent TEXT, call TEXT UNIQUE, agent TEXT, description TEXT, kind TEXT,
  made REAL, ended REAL, refused TEXT);
CREATE INDEX children_label ON children (label);
CREATE INDEX children_agent ON children (agent);
-- A delegation has the id by which the user decides it, its item in the inbox, and how far its requester was told.
ALTER TABLE delegations ADD COLUMN qid TEXT;
ALTER TABLE delegations ADD COLUMN question INTEGER;
ALTER TABLE delegations ADD COLUMN released REAL;
ALTER TABLE delegations ADD COLUMN resume INTEGER;
ALTER TABLE delegations ADD COLUMN told REAL;
UPDATE delegations SET qid = 'D' || (SELECT count(*) FROM signals s JOIN signals o ON o.agent = s.agent
  AND o.run = s.run AND o.id <= s.id JOIN delegations d ON d.signal = o.id WHERE s.id = delegations.signal);
UPDATE delegations SET question = (SELECT q.id FROM questions q JOIN signals s ON s.agent = q.agent
  AND s.run = q.run WHERE s.id = delegations.signal AND q.qid = delegations.qid ORDER BY q.id LIMIT 1);
CREATE INDEX delegations_question ON delegations (question);
CREATE INDEX delegations_resume ON delegations (resume);
-- Indexes for what lives and what has ended last, so that what has ended long ago is counted at most.
CREATE INDEX tasks_ended_in ON tasks (root, ended) WHERE closed IS NULL;
CREATE INDEX tasks_interrupted ON tasks (ended) WHERE state = 'interrupted' AND closed IS NULL;
CREATE INDEX tasks_interrupted_in ON tasks (session, ended) WHERE state = 'interrupted' AND closed IS NULL;
CREATE INDEX tasks_open ON tasks (root) WHERE ended IS NULL;
CREATE INDEX answers_unsent ON answers (id) WHERE sent IS NULL;
CREATE INDEX resumes_open ON resumes (label) WHERE proven IS NULL AND failed IS NULL;
-- What stands before the end of a long report, in pieces: SQLite takes a long text into memory several times.
CREATE TABLE report_beginnings (
  agent TEXT, run INTEGER, digest TEXT, place INTEGER, text TEXT, PRIMARY KEY (agent, run, digest, place));
PRAGMA user_version = 1;
