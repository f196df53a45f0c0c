-- What is asked of retracted answers at every answer and undo.
CREATE INDEX retracted_gone ON retracted (gone);
CREATE INDEX retracted_replaced ON retracted (replaced_by);
CREATE INDEX retracted_undone ON retracted (undone_by);
PRAGMA user_version = 1;
