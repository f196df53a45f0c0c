-- What the user typed or chose for a task, to the character, whatever was understood of it; and answers that no longer count.
CREATE TABLE typed (
  id INTEGER PRIMARY KEY, session TEXT, at REAL, via TEXT, label TEXT, text TEXT, outcome TEXT, reading TEXT);
CREATE INDEX typed_label ON typed (label);
ALTER TABLE answers ADD COLUMN typed INTEGER;
CREATE TABLE retracted (
  id INTEGER PRIMARY KEY, label TEXT, question INTEGER, kind TEXT, text TEXT, source TEXT, at REAL, typed INTEGER,
  gone REAL, replaced_by INTEGER);
CREATE INDEX retracted_question ON retracted (question);
PRAGMA user_version = 1;
