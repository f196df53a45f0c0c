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
PRAGMA user_version = 1;
