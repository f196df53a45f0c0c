-- The background commands of its own that a run waits for, after its agent has ended its turn.
ALTER TABLE runs ADD COLUMN parked TEXT;
PRAGMA user_version = 4;
