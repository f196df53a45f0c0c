-- A long life: what was printed and where its receipt will stand, what a project is beside its path, what is closed,
-- numbers for the order of calls, and the machine that a session's process runs on.
ALTER TABLE deliveries ADD COLUMN words TEXT;
ALTER TABLE deliveries ADD COLUMN place INTEGER;
ALTER TABLE deliveries ADD COLUMN carrier TEXT;
ALTER TABLE deliveries ADD COLUMN missed INTEGER;
ALTER TABLE sessions ADD COLUMN root TEXT;
ALTER TABLE sessions ADD COLUMN machine TEXT;
ALTER TABLE tasks ADD COLUMN root TEXT;
ALTER TABLE tasks ADD COLUMN closed REAL;
ALTER TABLE launches ADD COLUMN window INTEGER;
ALTER TABLE launches ADD COLUMN turn INTEGER;
ALTER TABLE launches ADD COLUMN identity TEXT;
ALTER TABLE resumes ADD COLUMN turn INTEGER;
CREATE INDEX deliveries_printed ON deliveries (session) WHERE seen IS NULL AND surfaced IS NOT NULL;
CREATE INDEX launches_window ON launches (window);
CREATE INDEX launches_unbound ON launches (label) WHERE agent = '' AND failed IS NULL;
CREATE INDEX launches_lost ON launches (label) WHERE identity IN ('lost', 'given');
CREATE INDEX questions_open ON questions (label) WHERE state = 'open';
CREATE INDEX tasks_root ON tasks (root, state, session);
PRAGMA user_version = 1;
