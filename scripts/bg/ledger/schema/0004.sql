-- No column holds several facts. Those of a delivery: whom it is about, which of that one's runs, and what tells that
-- run's deliveries apart; for answers the session they were given in, and whether it is said again; who has printed it.
ALTER TABLE deliveries RENAME TO glued;
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY, label TEXT, kind TEXT, subject TEXT, run INTEGER, mark TEXT, answered_in TEXT, again INTEGER,
  made REAL, surfaced REAL, said REAL, seen REAL, session TEXT, event TEXT, turn TEXT, pid INTEGER, started TEXT,
  words TEXT, place INTEGER, carrier TEXT, missed INTEGER, UNIQUE (subject, run, mark));
-- The key was "subject:run:mark", where the mark of answers was "session number" or "session number again"; `via` was
-- "event turn started pid", before that "event pid".
INSERT OR IGNORE INTO deliveries
  WITH ended AS (SELECT *, rtrim(key, replace(key, ':', '')) AS front FROM glued),
  begun AS (SELECT *, substr(key, length(front) + 1) AS tail, rtrim(front, ':') AS middle FROM ended),
  parted AS (SELECT *, rtrim(middle, replace(middle, ':', '')) AS head FROM begun),
  first AS (SELECT *, instr(via || ' ', ' ') AS one, substr(via, instr(via || ' ', ' ') + 1) AS rest FROM parted),
  second AS (SELECT *, instr(rest, ' ') AS two, substr(rest, instr(rest, ' ') + 1) AS more FROM first),
  third AS (SELECT *, instr(more, ' ') AS three, via LIKE '% % % %' AS is_long FROM second)
  SELECT id, label, kind, substr(head, 1, length(head) - 1), CAST(substr(middle, length(head) + 1) AS INTEGER),
  CASE WHEN kind <> 'answered' THEN tail END,
  CASE WHEN kind = 'answered' THEN substr(tail, 1, instr(tail || ' ', ' ') - 1) END,
  CASE WHEN kind = 'answered' THEN tail LIKE '% again' END,
  made, surfaced, said, seen, session, substr(via, 1, one - 1), CASE WHEN is_long THEN substr(rest, 1, two - 1) END,
  CAST(CASE WHEN is_long THEN substr(more, three + 1) ELSE nullif(rest, '') END AS INTEGER),
  CASE WHEN is_long THEN replace(substr(more, 1, three - 1), '_', ' ') END, words, place, carrier, missed FROM third;
DROP TABLE glued;
CREATE INDEX deliveries_label ON deliveries (label, kind);
CREATE INDEX deliveries_said ON deliveries (session) WHERE seen IS NULL;
CREATE INDEX deliveries_unseen ON deliveries (label) WHERE seen IS NULL;
CREATE INDEX deliveries_printed ON deliveries (session) WHERE seen IS NULL AND surfaced IS NOT NULL;
-- A delegation has the label of the work, which its state tells from that of a window for it, and says for itself
-- whether a stopped task's work is handed over.
ALTER TABLE delegations RENAME TO glued;
CREATE TABLE delegations (
  id INTEGER PRIMARY KEY, label TEXT, signal INTEGER UNIQUE, blocking INTEGER, handed_over INTEGER, state TEXT,
  words TEXT, decided REAL, worker TEXT, qid TEXT, question INTEGER, released REAL, resume INTEGER, told REAL);
INSERT INTO delegations SELECT id, label, signal, blocking, qid GLOB 'B*', state, words, decided,
  CASE WHEN child LIKE 'window:%' THEN substr(child, 8) ELSE child END, qid, question, released, resume, told FROM glued;
DROP TABLE glued;
CREATE INDEX delegations_label ON delegations (label);
CREATE INDEX delegations_question ON delegations (question);
CREATE INDEX delegations_resume ON delegations (resume);
CREATE INDEX delegations_worker ON delegations (worker);
CREATE INDEX delegations_approved ON delegations (worker) WHERE state = 'approved';
-- Where a repository is kept, and by what it is known.
CREATE TABLE roots (root TEXT PRIMARY KEY, mark TEXT);
CREATE INDEX roots_mark ON roots (mark);
INSERT INTO roots SELECT substr(key, 6), value FROM meta WHERE key > 'root:' AND key < 'root;';
DELETE FROM meta WHERE key > 'root:' AND key < 'root;';
PRAGMA user_version = 4;
