-- A schema file leads from the schema before it to its own number. Each statement ends with its line.
-- It says which plugins may write what it leaves: user_version is the oldest schema whose plugin goes on writing.
-- Keep that number where a migration only adds what such a plugin need not know: an index, a table, a column whose
-- value may be missing (not in meta, scans or strangers, which are written by position). A released file is never changed.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, project TEXT, transcript TEXT, version TEXT, pid INTEGER, pid_started TEXT,
  first_seen REAL, last_seen REAL, ended REAL);
CREATE TABLE windows (
  id INTEGER PRIMARY KEY, session TEXT, kind TEXT, label TEXT, text TEXT, opened REAL, closed REAL);
CREATE TABLE tasks (
  label TEXT PRIMARY KEY, number INTEGER UNIQUE, grp TEXT, session TEXT, project TEXT, text TEXT,
  description TEXT, prompt TEXT, state TEXT, since REAL, created REAL, ended REAL, agent TEXT, note TEXT);
CREATE TABLE launches (
  tool_use TEXT PRIMARY KEY, label TEXT, token TEXT UNIQUE, agent TEXT, agent_type TEXT, name TEXT,
  cwd TEXT, head TEXT, made REAL, bound REAL, failed TEXT);
CREATE INDEX launches_agent ON launches (agent);
CREATE TABLE runs (
  agent TEXT, run INTEGER, label TEXT, began REAL, ended REAL, corrections INTEGER DEFAULT 0,
  asked REAL, cut TEXT, last_uuid TEXT, evidence TEXT, PRIMARY KEY (agent, run));
CREATE TABLE reports (
  id INTEGER PRIMARY KEY, agent TEXT, run INTEGER, source TEXT, text TEXT, digest TEXT, at REAL,
  UNIQUE (agent, run, digest));
CREATE TABLE signals (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, run INTEGER, marker TEXT, body TEXT, digest TEXT,
  at REAL, terminal INTEGER, UNIQUE (agent, run, digest));
CREATE TABLE questions (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, run INTEGER, qid TEXT, text TEXT, context TEXT,
  extra TEXT, priority TEXT, digest TEXT, state TEXT, asked REAL, shown REAL,
  UNIQUE (agent, run, qid, digest));
CREATE TABLE answers (
  id INTEGER PRIMARY KEY, label TEXT, question INTEGER, kind TEXT, text TEXT, source TEXT, at REAL,
  sent REAL, resume INTEGER);
CREATE TABLE delegations (
  id INTEGER PRIMARY KEY, label TEXT, signal INTEGER UNIQUE, blocking INTEGER, state TEXT, words TEXT,
  decided REAL, child TEXT);
CREATE TABLE resumes (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, tool_use TEXT UNIQUE, kind TEXT, typed TEXT,
  message TEXT, at REAL, proven REAL, failed TEXT);
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY, label TEXT, kind TEXT, key TEXT UNIQUE, made REAL, surfaced REAL, said REAL,
  seen REAL, session TEXT, via TEXT);
CREATE TABLE scans (agent TEXT PRIMARY KEY, offset INTEGER);
CREATE TABLE strangers (at REAL, agent TEXT, label TEXT, UNIQUE (agent, label));
CREATE TABLE errors (id INTEGER PRIMARY KEY, at REAL, event TEXT, text TEXT);
PRAGMA user_version = 1;
