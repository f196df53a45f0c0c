-- Indexes for what lives and what has ended last, so that what has ended long ago is counted at most.
CREATE INDEX tasks_ended_in ON tasks (root, ended) WHERE closed IS NULL;
CREATE INDEX tasks_interrupted ON tasks (ended) WHERE state = 'interrupted' AND closed IS NULL;
CREATE INDEX tasks_interrupted_in ON tasks (session, ended) WHERE state = 'interrupted' AND closed IS NULL;
CREATE INDEX tasks_open ON tasks (root) WHERE ended IS NULL;
CREATE INDEX answers_unsent ON answers (id) WHERE sent IS NULL;
CREATE INDEX resumes_open ON resumes (label) WHERE proven IS NULL AND failed IS NULL;
PRAGMA user_version = 1;
