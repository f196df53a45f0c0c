-- In which shapes each version of the host has handed over its events, how often, and when first and last.
CREATE TABLE sightings (
  version TEXT, event TEXT, tool TEXT, form TEXT, lacks TEXT, keys TEXT, count INTEGER, first REAL, last REAL,
  PRIMARY KEY (version, event, tool, form, lacks));
PRAGMA user_version = 4;
