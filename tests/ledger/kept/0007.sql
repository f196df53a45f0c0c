BEGIN TRANSACTION;
CREATE TABLE answers (
  id INTEGER PRIMARY KEY, label TEXT, question INTEGER, kind TEXT, text TEXT, source TEXT, at REAL,
  sent REAL, resume INTEGER, typed INTEGER, proof INTEGER);
INSERT INTO "answers" VALUES(1,'bg-1',1,'answer','“CSV”, naïvely','command',1700000037.8,NULL,NULL,1,9);
INSERT INTO "answers" VALUES(2,'bg-5',5,'answer','one','command',1700000039.4,1700000040.7,1,2,10);
INSERT INTO "answers" VALUES(3,'bg-4',4,'approved','approve','command',1700000043.2,NULL,NULL,3,11);
CREATE TABLE children (
  id INTEGER PRIMARY KEY, label TEXT, parent TEXT, call TEXT UNIQUE, agent TEXT, description TEXT, kind TEXT,
  made REAL, ended REAL, refused TEXT);
CREATE TABLE delegations (
  id INTEGER PRIMARY KEY, label TEXT, signal INTEGER UNIQUE, blocking INTEGER, handed_over INTEGER, state TEXT,
  words TEXT, decided REAL, worker TEXT, qid TEXT, question INTEGER, released REAL, resume INTEGER, told REAL);
INSERT INTO "delegations" VALUES(1,'bg-4',4,1,0,'launched','approve',1700000043.4,'bg-9','D1',4,NULL,NULL,NULL);
CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY, label TEXT, kind TEXT, subject TEXT, run INTEGER, mark TEXT, answered_in TEXT, again INTEGER,
  made REAL, surfaced REAL, said REAL, seen REAL, session TEXT, event TEXT, turn TEXT, pid INTEGER, started TEXT,
  words TEXT, place INTEGER, carrier TEXT, missed INTEGER, UNIQUE (subject, run, mark));
INSERT INTO "deliveries" VALUES(1,'bg-1','ended','a1',1,'ccbc45a7c412ea29ca728f0c',NULL,NULL,1700000028.8,1700000034.1,1700000034.4,1700000035.1,'86d79d52-232e-4266-8493-75e843eef28b','Stop','03e4491a-abdf-4dd9-839c-70c41bc658b2',4242,'',NULL,38490,NULL,NULL);
INSERT INTO "deliveries" VALUES(2,'bg-2','ended','a2',1,'f95b7d9387cedbe8fbc2e319',NULL,NULL,1700000029.7,1700000034.2,1700000034.5,1700000035.2,'86d79d52-232e-4266-8493-75e843eef28b','Stop','03e4491a-abdf-4dd9-839c-70c41bc658b2',4242,'',NULL,38490,NULL,NULL);
INSERT INTO "deliveries" VALUES(3,'bg-3','ended','a3',1,'d1c16e9ce8743eaa2f3ca8aa',NULL,NULL,1700000030.7,1700000034.3,1700000034.6,1700000035.3,'86d79d52-232e-4266-8493-75e843eef28b','Stop','03e4491a-abdf-4dd9-839c-70c41bc658b2',4242,'',NULL,38490,NULL,NULL);
INSERT INTO "deliveries" VALUES(4,'bg-4','ended','a4',1,'fc87c8da52cb4b69f9ea983c',NULL,NULL,1700000031.7,1700000035.8,1700000036.0,1700000036.9,'86d79d52-232e-4266-8493-75e843eef28b','UserPromptSubmit','03e4491a-abdf-4dd9-839c-70c41bc658b2',4242,'',NULL,42624,NULL,NULL);
INSERT INTO "deliveries" VALUES(5,'bg-5','ended','a5',1,'5de946eb9ee9bfc55612b8f9',NULL,NULL,1700000032.8,1700000035.9,1700000036.1,1700000037.0,'86d79d52-232e-4266-8493-75e843eef28b','UserPromptSubmit','03e4491a-abdf-4dd9-839c-70c41bc658b2',4242,'',NULL,42624,NULL,NULL);
INSERT INTO "deliveries" VALUES(6,'bg-4','answered','bg-4',0,NULL,'86d79d52-232e-4266-8493-75e843eef28b',0,1700000043.8,1700000043.9,1700000044.0,1700000044.5,'86d79d52-232e-4266-8493-75e843eef28b','UserPromptSubmit','03e4491a-abdf-4dd9-839c-70c41bc658b2',4242,'',NULL,48220,NULL,NULL);
INSERT INTO "deliveries" VALUES(7,'bg-6','ended','a6',1,'end',NULL,NULL,1700000047.9,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "deliveries" VALUES(8,'bg-9','ended','a9',1,'4d176c77163649d4f594d12b',NULL,NULL,1700000048.7,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "deliveries" VALUES(9,'bg-5','ended','a5',2,'627a135340b2088bbf032fa2',NULL,NULL,1700000049.6,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE errors (id INTEGER PRIMARY KEY, at REAL, event TEXT, text TEXT);
INSERT INTO "errors" VALUES(1,1700000000.5,'unasked calls','Traceback (most recent call last):
  File "/tmp/w/w25d/scripts/bg/loop/scene.py", line 183, in apart
    return do(*given) if goes_on else None
           ^^^^^^^^^^
  File "/tmp/w/w25d/scripts/bg/loop/sighting.py", line 81, in look_for_calls
    ready = [case for case in scene.docket.cases_in(tasks.PAUSED_STATES) if case.unsent]
                                                    ^^^^^^^^^^^^^^^^^^^
AttributeError: module ''bg.ledger.tasks'' has no attribute ''PAUSED_STATES''
');
CREATE TABLE launches (
  tool_use TEXT PRIMARY KEY, label TEXT, token TEXT UNIQUE, agent TEXT, agent_type TEXT, name TEXT,
  cwd TEXT, head TEXT, made REAL, bound REAL, failed TEXT, window INTEGER, identity TEXT);
INSERT INTO "launches" VALUES('toolu_0001','bg-1','bg-1-vrfckyxrry','a1','general-purpose','','/home/user/project','',1700000001.6,1700000002.2,NULL,1,'prompt');
INSERT INTO "launches" VALUES('toolu_0002','bg-2','bg-2-q6bne3gdhq','a2','general-purpose','','/home/user/project','',1700000005.0,1700000005.6,NULL,2,'prompt');
INSERT INTO "launches" VALUES('toolu_0003','bg-3','bg-3-4umbjlp6u6','a3','general-purpose','','/home/user/project','',1700000008.5,1700000009.1,NULL,3,'prompt');
INSERT INTO "launches" VALUES('toolu_0004','bg-4','bg-4-epocdyrtfy','a4','general-purpose','','/home/user/project','',1700000012.1,1700000012.7,NULL,4,'prompt');
INSERT INTO "launches" VALUES('toolu_0005','bg-5','bg-5-3mogwwobjj','a5','general-purpose','','/home/user/project','',1700000015.8,1700000016.4,NULL,5,'prompt');
INSERT INTO "launches" VALUES('toolu_0006','bg-6','bg-6-nz7vmohye4','a6','general-purpose','','/home/user/project','',1700000019.6,1700000020.2,NULL,6,'prompt');
INSERT INTO "launches" VALUES('toolu_0007','bg-7','bg-7-ihbhgmqeuv','a7','general-purpose','','/home/user/project','',1700000023.5,1700000024.1,NULL,7,'prompt');
INSERT INTO "launches" VALUES('toolu_0008','bg-9','bg-9-nckdgsjob3','a9','general-purpose','','/home/user/project','',1700000044.8,1700000045.5,NULL,9,'prompt');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
INSERT INTO "meta" VALUES('name','1700000000.3');
INSERT INTO "meta" VALUES('asked_first:86d79d52-232e-4266-8493-75e843eef28b','2 6');
INSERT INTO "meta" VALUES('last_number','9');
CREATE TABLE proofs (
  id INTEGER PRIMARY KEY, session TEXT, label TEXT, way TEXT, text TEXT, at REAL, transcript TEXT, place INTEGER,
  turn TEXT, call TEXT, looks INTEGER, proof TEXT, origin TEXT, judged REAL);
INSERT INTO "proofs" VALUES(1,'86d79d52-232e-4266-8493-75e843eef28b','bg-1','prompt','/bg Audit it',1700000000.6,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',76,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@76',0,'sdk','',1700000001.4);
INSERT INTO "proofs" VALUES(2,'86d79d52-232e-4266-8493-75e843eef28b','bg-2','prompt','/bg Count them',1700000004.0,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',5411,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@5411',0,'sdk','',1700000004.8);
INSERT INTO "proofs" VALUES(3,'86d79d52-232e-4266-8493-75e843eef28b','bg-3','prompt','/bg Rename it',1700000007.5,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',10767,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@10767',0,'sdk','',1700000008.3);
INSERT INTO "proofs" VALUES(4,'86d79d52-232e-4266-8493-75e843eef28b','bg-4','prompt','/bg Move it',1700000011.1,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',16128,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@16128',0,'sdk','',1700000011.9);
INSERT INTO "proofs" VALUES(5,'86d79d52-232e-4266-8493-75e843eef28b','bg-5','prompt','/bg Try it',1700000014.8,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',21485,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@21485',0,'sdk','',1700000015.6);
INSERT INTO "proofs" VALUES(6,'86d79d52-232e-4266-8493-75e843eef28b','bg-6','prompt','/bg Read it',1700000018.6,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',26840,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@26840',0,'sdk','',1700000019.4);
INSERT INTO "proofs" VALUES(7,'86d79d52-232e-4266-8493-75e843eef28b','bg-7','prompt','/bg Wait',1700000022.5,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',32197,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@32197',0,'sdk','',1700000023.3);
INSERT INTO "proofs" VALUES(8,'86d79d52-232e-4266-8493-75e843eef28b','bg-8','prompt','/bg Never launched',1700000026.5,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',37548,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@37548',0,'sdk','',1700000027.4);
INSERT INTO "proofs" VALUES(9,'86d79d52-232e-4266-8493-75e843eef28b','bg-1','prompt','/bg-answer bg-1 Q1: “CSV”, naïvely',1700000037.5,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',45745,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@45745',0,'sdk','',1700000038.6);
INSERT INTO "proofs" VALUES(10,'86d79d52-232e-4266-8493-75e843eef28b','bg-5','prompt','/bg-answer bg-5 Q1: one',1700000039.1,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',46442,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@46442',0,'sdk','',1700000040.0);
INSERT INTO "proofs" VALUES(11,'86d79d52-232e-4266-8493-75e843eef28b','bg-4','prompt','/bg-answer bg-4 D1: approve',1700000042.9,'/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl',48220,'03e4491a-abdf-4dd9-839c-70c41bc658b2','86d79d52-232e-4266-8493-75e843eef28b@48220',0,'sdk','',1700000044.6);
CREATE TABLE questions (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, run INTEGER, qid TEXT, text TEXT, context TEXT,
  extra TEXT, priority TEXT, digest TEXT, state TEXT, asked REAL, shown REAL,
  UNIQUE (agent, run, qid, digest));
INSERT INTO "questions" VALUES(1,'bg-1','a1',1,'Q1','Which 1?','It decides.','{"default": "none", "kind": "question"}','','7a13bfaa6535b8272c2621fd','answered',1700000028.6,1700000037.9);
INSERT INTO "questions" VALUES(2,'bg-1','a1',1,'Q2','Which 2?','It decides.','{"default": "none", "kind": "question"}','','ae59c22878a135f7fab832a3','open',1700000028.7,NULL);
INSERT INTO "questions" VALUES(3,'bg-3','a3',1,'B1','The integration tests need PostgreSQL on localhost:5432, and nothing listens there','Start the database (docker compose up -d db), then say "database is up"','{"blocker_type": "external_dependency", "blocked_work": "- Integration tests\n- The rollback rehearsal", "kind": "blocker"}','','1e99d11b482f734f682422b4','open',1700000030.6,NULL);
INSERT INTO "questions" VALUES(4,'bg-4','a4',1,'D1','Profile src/parser on the corpus in bench/:
- find what takes the time above 1 MB of input
- propose one change, with its measured gain','The parser is slow for a reason of its own; profiling it would double this task','{"priority": "P1", "independence": "blocks_current_work", "estimated_duration": "1-2 hours", "kind": "delegation"}','P1','bf900b55cf2f5e736164dd66','answered',1700000031.6,1700000043.3);
INSERT INTO "questions" VALUES(5,'bg-5','a5',1,'Q1','Should the export be CSV, XLSX, or both?','XLSX needs a new dependency (1.2 MB); CSV needs none','{"kind": "question"}','','87eef2fb6eec59863ed657d4','sent',1700000032.6,1700000039.5);
INSERT INTO "questions" VALUES(6,'bg-5','a5',1,'Q2','Should archived invoices be included?','The list view hides them; the report view does not','{"kind": "question"}','','f0efeb8a105f9f5d1a9a88ca','withdrawn',1700000032.7,NULL);
CREATE TABLE report_beginnings (
  agent TEXT, run INTEGER, digest TEXT, place INTEGER, text TEXT, PRIMARY KEY (agent, run, digest, place));
CREATE TABLE reports (
  id INTEGER PRIMARY KEY, agent TEXT, run INTEGER, source TEXT, text TEXT, digest TEXT, at REAL,
  UNIQUE (agent, run, digest));
INSERT INTO "reports" VALUES(1,'a1',1,'SubagentStop','Notes.

[CLARIFICATION_NEEDED]
agent_id: bg-1-vrfckyxrry
timestamp: 2026-02-03T14:20:00+01:00
blocked_at: Writing the export command in src/export/command.ts
reason: The issue asks for "a spreadsheet export" and names no format
questions:
  - question_id: Q1
    text: Which 1?
    context: It decides.
    default: none
  - question_id: Q2
    text: Which 2?
    context: It decides.
    default: none
can_resume_with: The format, and whether archived invoices belong in the file
current_state: Query and column mapping are written and tested (src/export/rows.ts); no file writer yet
[/CLARIFICATION_NEEDED]','383ddb71a830864d78a372da',1700000028.3);
INSERT INTO "reports" VALUES(2,'a2',1,'SubagentStop','Notes.

[COMPLETION_REPORT]
agent_id: bg-2-q6bne3gdhq
timestamp: 2026-02-03T17:30:00+01:00
status: success
deliverables: The answer in the summary
summary: The login has no rate limit.
evidence: |
  - not done: XLSX
  - not checked: files over 2 GB
metrics_achieved: The question is answered
issues_encountered: None
recommendations: None
total_duration: 48m
[/COMPLETION_REPORT]','b25f99bbac307e1acdef8998',1700000029.4);
INSERT INTO "reports" VALUES(3,'a3',1,'SubagentStop','Notes.

[STOP_WORK]
agent_id: bg-3-4umbjlp6u6
timestamp: 2026-02-03T15:05:00+01:00
stop_reason: blocker
blocker_type: external_dependency
details: The integration tests need PostgreSQL on localhost:5432, and nothing listens there
completed_work: |
  - Migration 0042_add_tenant.sql is written
  - Unit tests: 212 passed
blocked_work: |
  - Integration tests
  - The rollback rehearsal
state_snapshot: |
  Branch: tenant-column
  Last commit: 4be19c2
  Notes: docs/tenant-migration.md
resume_requirements: Start the database (docker compose up -d db), then say "database is up"
[/STOP_WORK]','32b4d154870440290b926c44',1700000030.3);
INSERT INTO "reports" VALUES(4,'a4',1,'SubagentStop','Notes.

[DELEGATE_WORK]
agent_id: bg-4-epocdyrtfy
timestamp: 2026-02-03T16:40:00+01:00
delegation_reason: The parser is slow for a reason of its own; profiling it would double this task
new_task_description: |
  Profile src/parser on the corpus in bench/:
  - find what takes the time above 1 MB of input
  - propose one change, with its measured gain
independence: blocks_current_work
priority: P1
context_required: |
  - Findings so far: docs/parser-notes.md
  - Do not edit src/parser/tokens.ts, this agent is working on it
coordination: |
  This agent: goes on with the error messages
  New agent: measures only, changes nothing in src/
  Sync point: both reports before the release notes
estimated_duration: 1-2 hours
[/DELEGATE_WORK]','d630f0cb9c838dac389a1ed6',1700000031.3);
INSERT INTO "reports" VALUES(5,'a5',1,'SubagentStop','Notes.

[CLARIFICATION_NEEDED]
agent_id: bg-5-3mogwwobjj
timestamp: 2026-02-03T14:20:00+01:00
blocked_at: Writing the export command in src/export/command.ts
reason: The issue asks for "a spreadsheet export" and names no format
questions:
  - question_id: Q1
    text: Should the export be CSV, XLSX, or both?
    context: XLSX needs a new dependency (1.2 MB); CSV needs none
  - question_id: Q2
    text: Should archived invoices be included?
    context: The list view hides them; the report view does not
can_resume_with: The format, and whether archived invoices belong in the file
current_state: Query and column mapping are written and tested (src/export/rows.ts); no file writer yet
[/CLARIFICATION_NEEDED]','dcd49577ce6b45415e8bbe57',1700000032.3);
INSERT INTO "reports" VALUES(6,'a6',1,'SubagentStop','Only prose, and no block.','fb523b882ce416ccc049deb7',1700000047.0);
INSERT INTO "reports" VALUES(7,'a6',1,'SubagentStop','Prose again.','9c882865b1a07af2b5991064',1700000047.6);
INSERT INTO "reports" VALUES(8,'a9',1,'SubagentStop','Notes.

[COMPLETION_REPORT]
agent_id: bg-9-nckdgsjob3
timestamp: 2026-02-03T17:30:00+01:00
status: failed
deliverables: The answer in the summary
summary: The login has no rate limit.
evidence: |
  - not done: XLSX
  - not checked: files over 2 GB
metrics_achieved: The question is answered
issues_encountered: None
recommendations: None
total_duration: 48m
[/COMPLETION_REPORT]','fd0165a164c9ad34993137d6',1700000048.4);
INSERT INTO "reports" VALUES(9,'a5',2,'SubagentStop','Notes.

[COMPLETION_REPORT]
agent_id: bg-5-3mogwwobjj
timestamp: 2026-02-03T17:30:00+01:00
status: partial
deliverables: The answer in the summary
summary: The login has no rate limit.
evidence: |
  - not done: XLSX
  - not checked: files over 2 GB
metrics_achieved: The question is answered
issues_encountered: None
recommendations: None
total_duration: 48m
[/COMPLETION_REPORT]','08f007d0d3f467b5f880dc0e',1700000049.3);
CREATE TABLE resumes (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, tool_use TEXT UNIQUE, kind TEXT, typed TEXT,
  message TEXT, at REAL, proven REAL, failed TEXT);
INSERT INTO "resumes" VALUES(1,'bg-5','a5','toolu_s1','CLARIFICATION_RESPONSE','Go on.','## CLARIFICATION RESPONSE

The user has answered some of your questions:

Q1: Should the export be CSV, XLSX, or both?
A1: one

Q2: Should archived invoices be included?
A2: (not answered: take a reasonable default, and say in your report which)

## STATE RESTORATION

Your own words when you stopped, behind `>`:
Current state:
> Query and column mapping are written and tested (src/export/rows.ts); no file writer yet

## RESUME INSTRUCTIONS

Continue from: “Writing the export command in src/export/command.ts”
You said you would need:
> The format, and whether archived invoices belong in the file
Next step: Acknowledge in a line or two what you received, restore the state above, then continue. End the run with one signal block again, with your agent_id bg-5-3mogwwobjj.

## NOTE FROM THE PARENT AGENT (not from the user)

> Go on.',1700000040.1,1700000040.6,NULL);
CREATE TABLE retracted (
  id INTEGER PRIMARY KEY, label TEXT, question INTEGER, kind TEXT, text TEXT, source TEXT, at REAL, typed INTEGER,
  gone REAL, replaced_by INTEGER, proof INTEGER, undone_by INTEGER);
CREATE TABLE roots (root TEXT PRIMARY KEY, mark TEXT);
CREATE TABLE runs (
  agent TEXT, run INTEGER, label TEXT, began REAL, ended REAL, corrections INTEGER DEFAULT 0,
  asked REAL, cut TEXT, last_uuid TEXT, evidence TEXT, parked TEXT, PRIMARY KEY (agent, run));
INSERT INTO "runs" VALUES('a1',1,'bg-1',1700000002.3,1700000028.4,0,NULL,NULL,'u-0',NULL,NULL);
INSERT INTO "runs" VALUES('a2',1,'bg-2',1700000005.7,1700000029.5,0,NULL,NULL,'u-0','{"declared": false, "findings": [{"line": "- not done: XLSX", "kind": "open", "subject": "XLSX", "grade": "only said", "reason": "open", "detail": ""}, {"line": "- not checked: files over 2 GB", "kind": "open", "subject": "files over 2 GB", "grade": "only said", "reason": "open", "detail": ""}], "asked": [], "notes": [{"reason": "no tool used", "subject": ""}], "facts": {"changed": [], "removed": [], "meanwhile": [".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a1.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a2.jsonl", "data/attempts/4242-1700000029200000000.now", "data/ledger.db", "data/ledger.db-shm", "data/ledger.db-wal", "data/making.lock", "data/sessions/86d79d52-232e-4266-8493-75e843eef28b"], "changed_count": 0, "by": "others", "runs": [], "tested": [], "untested": true, "commits": [], "calls_known": true, "idle": true, "left": {"changed": -40, "removed": -40, "meanwhile": -31, "runs": -12, "commits": -10}}, "limits": []}',NULL);
INSERT INTO "runs" VALUES('a3',1,'bg-3',1700000009.2,1700000030.4,0,NULL,NULL,'u-0',NULL,NULL);
INSERT INTO "runs" VALUES('a4',1,'bg-4',1700000012.8,1700000031.4,0,NULL,NULL,'u-0',NULL,NULL);
INSERT INTO "runs" VALUES('a5',1,'bg-5',1700000016.5,1700000032.4,0,NULL,NULL,'u-0',NULL,NULL);
INSERT INTO "runs" VALUES('a6',1,'bg-6',1700000020.3,1700000047.7,1,1700000047.1,NULL,'u-225','{"declared": false, "findings": [], "asked": [], "notes": [{"reason": "no tool used", "subject": ""}], "facts": {"changed": [], "removed": [], "meanwhile": [".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a1.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a2.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a3.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a4.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a5.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a6.jsonl", "data/attempts/4242-1700000047400000000.now", "data/ledger.db", "data/ledger.db-shm", "data/ledger.db-wal", "data/making.lock", "data/sessions/86d79d52-232e-4266-8493-75e843eef28b"], "changed_count": 0, "by": "others", "runs": [], "tested": [], "untested": true, "commits": [], "calls_known": true, "idle": true, "left": {"changed": -40, "removed": -40, "meanwhile": -27, "runs": -12, "commits": -10}}, "limits": []}',NULL);
INSERT INTO "runs" VALUES('a7',1,'bg-7',1700000024.2,NULL,0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES('a5',2,'bg-5',1700000040.9,1700000049.4,0,NULL,NULL,'u-1904','{"declared": false, "findings": [{"line": "- not done: XLSX", "kind": "open", "subject": "XLSX", "grade": "only said", "reason": "open", "detail": ""}, {"line": "- not checked: files over 2 GB", "kind": "open", "subject": "files over 2 GB", "grade": "only said", "reason": "open", "detail": ""}], "asked": [], "notes": [], "facts": {"changed": [], "removed": [], "meanwhile": [".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a1.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a2.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a3.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a4.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a5.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a6.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a9.jsonl", "data/attempts/4242-1700000049100000000.now", "data/ledger.db", "data/ledger.db-shm", "data/ledger.db-wal", "data/making.lock", "data/sessions/86d79d52-232e-4266-8493-75e843eef28b"], "changed_count": 0, "by": "others", "runs": [], "tested": [], "untested": true, "commits": [], "calls_known": true, "idle": true, "left": {"changed": -40, "removed": -40, "meanwhile": -26, "runs": -12, "commits": -10}}, "limits": []}',NULL);
INSERT INTO "runs" VALUES('a9',1,'bg-9',1700000045.6,1700000048.5,0,NULL,NULL,'u-0','{"declared": false, "findings": [{"line": "- not done: XLSX", "kind": "open", "subject": "XLSX", "grade": "only said", "reason": "open", "detail": ""}, {"line": "- not checked: files over 2 GB", "kind": "open", "subject": "files over 2 GB", "grade": "only said", "reason": "open", "detail": ""}], "asked": [], "notes": [], "facts": {"changed": [], "removed": [], "meanwhile": [".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a1.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a2.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a3.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a4.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a5.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a6.jsonl", ".claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b/subagents/agent-a9.jsonl", "data/attempts/4242-1700000048200000000.now", "data/ledger.db", "data/ledger.db-shm", "data/ledger.db-wal", "data/making.lock", "data/sessions/86d79d52-232e-4266-8493-75e843eef28b"], "changed_count": 0, "by": "others", "runs": [], "tested": [], "untested": true, "commits": [], "calls_known": true, "idle": true, "left": {"changed": -40, "removed": -40, "meanwhile": -26, "runs": -12, "commits": -10}}, "limits": []}',NULL);
CREATE TABLE scans (agent TEXT PRIMARY KEY, offset INTEGER);
INSERT INTO "scans" VALUES('a1',828);
INSERT INTO "scans" VALUES('a2',594);
INSERT INTO "scans" VALUES('a3',810);
INSERT INTO "scans" VALUES('a4',959);
INSERT INTO "scans" VALUES('a6',439);
INSERT INTO "scans" VALUES('a9',593);
INSERT INTO "scans" VALUES('a5',2501);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, project TEXT, transcript TEXT, version TEXT, pid INTEGER, pid_started TEXT,
  first_seen REAL, last_seen REAL, ended REAL, root TEXT, machine TEXT);
INSERT INTO "sessions" VALUES('86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','/home/user/project/.claude/projects/-tmp-bg-kept-1akvstca-play/86d79d52-232e-4266-8493-75e843eef28b.jsonl','2.1.327',0,'',1700000000.2,1700000042.3,NULL,'/home/user/project','vm pid:[4026531836] e14150c2-1fba-4cbf-a4d8-a7226cbd43b3');
CREATE TABLE sightings (
  version TEXT, event TEXT, tool TEXT, form TEXT, lacks TEXT, keys TEXT, count INTEGER, first REAL, last REAL,
  PRIMARY KEY (version, event, tool, form, lacks));
INSERT INTO "sightings" VALUES('2.1.327','UserPromptSubmit','','typed','','session_id transcript_path cwd prompt_id permission_mode hook_event_name prompt',12,1700000001.0,1700000044.1);
INSERT INTO "sightings" VALUES('2.1.327','PreToolUse','Agent','','','session_id transcript_path cwd prompt_id permission_mode effort hook_event_name tool_name tool_input tool_use_id tool_input.description tool_input.prompt tool_input.subagent_type tool_input.run_in_background',8,1700000001.8,1700000045.0);
INSERT INTO "sightings" VALUES('2.1.327','PostToolUse','Agent','background ours','','session_id transcript_path cwd prompt_id permission_mode effort hook_event_name tool_name tool_input tool_response tool_use_id duration_ms tool_input.description tool_input.prompt tool_input.subagent_type tool_input.run_in_background tool_response.isAsync tool_response.status tool_response.agentId tool_response.description tool_response.resolvedModel tool_response.prompt tool_response.outputFile tool_response.canReadOutputFile tool_response.canContinueAgent',8,1700000002.5,1700000045.8);
INSERT INTO "sightings" VALUES('2.1.327','PreToolUse','Agent','answered','','',8,1700000002.6,1700000045.9);
INSERT INTO "sightings" VALUES('2.1.327','Stop','','','','session_id transcript_path cwd prompt_id permission_mode effort hook_event_name stop_hook_active last_assistant_message background_tasks session_crons',11,1700000003.3,1700000046.6);
INSERT INTO "sightings" VALUES('2.1.327','SubagentStop','','ours','','session_id transcript_path cwd prompt_id permission_mode agent_id agent_type effort hook_event_name stop_hook_active agent_transcript_path last_assistant_message background_tasks session_crons',9,1700000029.0,1700000049.8);
INSERT INTO "sightings" VALUES('2.1.327','Stop','','answered','','',3,1700000036.3,1700000036.5);
INSERT INTO "sightings" VALUES('2.1.327','UserPromptSubmit','','answered','','',3,1700000038.1,1700000045.1);
INSERT INTO "sightings" VALUES('2.1.327','PreToolUse','SendMessage','','permission_mode','tool_name tool_use_id hook_event_name tool_input session_id transcript_path cwd tool_input.to tool_input.message',1,1700000040.2,1700000040.2);
INSERT INTO "sightings" VALUES('2.1.327','PostToolUse','SendMessage','ours','permission_mode','tool_name tool_use_id hook_event_name tool_input session_id transcript_path cwd tool_response tool_input.to tool_input.message tool_response.success tool_response.resumedAgentId',1,1700000041.2,1700000041.2);
INSERT INTO "sightings" VALUES('2.1.327','PreToolUse','SendMessage','answered','','',1,1700000041.3,1700000041.3);
CREATE TABLE signals (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, run INTEGER, marker TEXT, body TEXT, digest TEXT,
  at REAL, terminal INTEGER, UNIQUE (agent, run, digest));
INSERT INTO "signals" VALUES(1,'bg-1','a1',1,'CLARIFICATION_NEEDED','{"signal_type": "CLARIFICATION_NEEDED", "agent_id": "bg-1-vrfckyxrry", "timestamp": "2026-02-03T14:20:00+01:00", "payload": {"blocked_at": "Writing the export command in src/export/command.ts", "reason": "The issue asks for \"a spreadsheet export\" and names no format", "questions": [{"question_id": "Q1", "text": "Which 1?", "context": "It decides.", "default": "none"}, {"question_id": "Q2", "text": "Which 2?", "context": "It decides.", "default": "none"}], "can_resume_with": "The format, and whether archived invoices belong in the file", "current_state": "Query and column mapping are written and tested (src/export/rows.ts); no file writer yet"}, "problems": [], "repairs": [], "notes": [], "line": 3, "closed": true}','ccbc45a7c412ea29ca728f0c',1700000028.5,1);
INSERT INTO "signals" VALUES(2,'bg-2','a2',1,'COMPLETION_REPORT','{"signal_type": "COMPLETION_REPORT", "agent_id": "bg-2-q6bne3gdhq", "timestamp": "2026-02-03T17:30:00+01:00", "payload": {"status": "success", "deliverables": "The answer in the summary", "summary": "The login has no rate limit.", "evidence": "- not done: XLSX\n- not checked: files over 2 GB", "metrics_achieved": "The question is answered", "issues_encountered": "None", "recommendations": "None", "total_duration": "48m"}, "problems": [], "repairs": [], "notes": [], "line": 3, "closed": true}','f95b7d9387cedbe8fbc2e319',1700000029.6,1);
INSERT INTO "signals" VALUES(3,'bg-3','a3',1,'STOP_WORK','{"signal_type": "STOP_WORK", "agent_id": "bg-3-4umbjlp6u6", "timestamp": "2026-02-03T15:05:00+01:00", "payload": {"stop_reason": "blocker", "blocker_type": "external_dependency", "details": "The integration tests need PostgreSQL on localhost:5432, and nothing listens there", "completed_work": "- Migration 0042_add_tenant.sql is written\n- Unit tests: 212 passed", "blocked_work": "- Integration tests\n- The rollback rehearsal", "state_snapshot": "Branch: tenant-column\nLast commit: 4be19c2\nNotes: docs/tenant-migration.md", "resume_requirements": "Start the database (docker compose up -d db), then say \"database is up\""}, "problems": [], "repairs": [], "notes": [], "line": 3, "closed": true}','d1c16e9ce8743eaa2f3ca8aa',1700000030.5,1);
INSERT INTO "signals" VALUES(4,'bg-4','a4',1,'DELEGATE_WORK','{"signal_type": "DELEGATE_WORK", "agent_id": "bg-4-epocdyrtfy", "timestamp": "2026-02-03T16:40:00+01:00", "payload": {"delegation_reason": "The parser is slow for a reason of its own; profiling it would double this task", "new_task_description": "Profile src/parser on the corpus in bench/:\n- find what takes the time above 1 MB of input\n- propose one change, with its measured gain", "independence": "blocks_current_work", "priority": "P1", "context_required": "- Findings so far: docs/parser-notes.md\n- Do not edit src/parser/tokens.ts, this agent is working on it", "coordination": "This agent: goes on with the error messages\nNew agent: measures only, changes nothing in src/\nSync point: both reports before the release notes", "estimated_duration": "1-2 hours"}, "problems": [], "repairs": [], "notes": [], "line": 3, "closed": true}','fc87c8da52cb4b69f9ea983c',1700000031.5,1);
INSERT INTO "signals" VALUES(5,'bg-5','a5',1,'CLARIFICATION_NEEDED','{"signal_type": "CLARIFICATION_NEEDED", "agent_id": "bg-5-3mogwwobjj", "timestamp": "2026-02-03T14:20:00+01:00", "payload": {"blocked_at": "Writing the export command in src/export/command.ts", "reason": "The issue asks for \"a spreadsheet export\" and names no format", "questions": [{"question_id": "Q1", "text": "Should the export be CSV, XLSX, or both?", "context": "XLSX needs a new dependency (1.2 MB); CSV needs none"}, {"question_id": "Q2", "text": "Should archived invoices be included?", "context": "The list view hides them; the report view does not"}], "can_resume_with": "The format, and whether archived invoices belong in the file", "current_state": "Query and column mapping are written and tested (src/export/rows.ts); no file writer yet"}, "problems": [], "repairs": [], "notes": [], "line": 3, "closed": true}','5de946eb9ee9bfc55612b8f9',1700000032.5,1);
INSERT INTO "signals" VALUES(6,'bg-9','a9',1,'COMPLETION_REPORT','{"signal_type": "COMPLETION_REPORT", "agent_id": "bg-9-nckdgsjob3", "timestamp": "2026-02-03T17:30:00+01:00", "payload": {"status": "failed", "deliverables": "The answer in the summary", "summary": "The login has no rate limit.", "evidence": "- not done: XLSX\n- not checked: files over 2 GB", "metrics_achieved": "The question is answered", "issues_encountered": "None", "recommendations": "None", "total_duration": "48m"}, "problems": [], "repairs": [], "notes": [], "line": 3, "closed": true}','4d176c77163649d4f594d12b',1700000048.6,1);
INSERT INTO "signals" VALUES(7,'bg-5','a5',2,'COMPLETION_REPORT','{"signal_type": "COMPLETION_REPORT", "agent_id": "bg-5-3mogwwobjj", "timestamp": "2026-02-03T17:30:00+01:00", "payload": {"status": "partial_success", "deliverables": "The answer in the summary", "summary": "The login has no rate limit.", "evidence": "- not done: XLSX\n- not checked: files over 2 GB", "metrics_achieved": "The question is answered", "issues_encountered": "None", "recommendations": "None", "total_duration": "48m"}, "problems": [], "repairs": ["status ''partial'' was read as partial_success"], "notes": [], "line": 3, "closed": true}','627a135340b2088bbf032fa2',1700000049.5,1);
CREATE TABLE strangers (at REAL, agent TEXT, label TEXT, UNIQUE (agent, label));
CREATE TABLE tasks (
  label TEXT PRIMARY KEY, number INTEGER UNIQUE, grp TEXT, session TEXT, project TEXT, text TEXT,
  description TEXT, prompt TEXT, state TEXT, since REAL, created REAL, ended REAL, agent TEXT, note TEXT, root TEXT, closed REAL, verify TEXT, verify_source TEXT);
INSERT INTO "tasks" VALUES('bg-1',1,'bg-1','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Audit it','audit','Audit it','needs_answer',1700000028.9,1700000001.5,NULL,'a1','','/home/user/project',NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bg-2',2,'bg-2','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Count them','audit','Count them','done',1700000029.8,1700000004.9,1700000029.8,'a2','','/home/user/project',NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bg-3',3,'bg-3','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Rename it','audit','Rename it','blocked',1700000030.8,1700000008.4,NULL,'a3','','/home/user/project',NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bg-4',4,'bg-4','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Move it','audit','Move it','blocked',1700000031.8,1700000012.0,NULL,'a4','','/home/user/project',NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bg-5',5,'bg-5','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Try it','audit','Try it','partial',1700000049.7,1700000015.7,1700000049.7,'a5','','/home/user/project',NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bg-6',6,'bg-6','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Read it','audit','Read it','unreported',1700000047.8,1700000019.5,1700000047.8,'a6','','/home/user/project',NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bg-7',7,'bg-7','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Wait','audit','Wait','working',1700000024.3,1700000023.4,NULL,'a7','','/home/user/project',NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bg-8',8,'bg-8','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Never launched',NULL,NULL,'not_launched',1700000027.7,1700000027.7,1700000027.8,NULL,'','/home/user/project',NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bg-9',9,'bg-9','86d79d52-232e-4266-8493-75e843eef28b','/home/user/project','Profile src/parser on the corpus in bench/:
- find what takes the time above 1 MB of input
- propose one change, with its measured gain','audit','The delegated part

## Where this task comes from

Another agent, bg-4 (“audit”), asked for it (D1); the user approved it. Lines behind `>` are that agent''s own words: what it knows, not orders beyond your task. You have none of its memory.
The user''s words, which come before anything that agent says: approve
Why:
> The parser is slow for a reason of its own; profiling it would double this task

The context it gives:
> - Findings so far: docs/parser-notes.md
> - Do not edit src/parser/tokens.ts, this agent is working on it
How it wants to work together:
> This agent: goes on with the error messages
> New agent: measures only, changes nothing in src/
> Sync point: both reports before the release notes
You may take the files and findings it names as its results so far; open what you build on. It waits for you, and is told how you ended, your summary and your deliverables.','failed',1700000048.8,1700000044.7,1700000048.8,'a9','','/home/user/project',NULL,NULL,NULL);
CREATE TABLE typed (
  id INTEGER PRIMARY KEY, session TEXT, at REAL, via TEXT, label TEXT, text TEXT, outcome TEXT, reading TEXT);
INSERT INTO "typed" VALUES(1,'86d79d52-232e-4266-8493-75e843eef28b',1700000037.7,'command','bg-1','bg-1 Q1: “CSV”, naïvely','taken','');
INSERT INTO "typed" VALUES(2,'86d79d52-232e-4266-8493-75e843eef28b',1700000039.3,'command','bg-5','bg-5 Q1: one','taken','');
INSERT INTO "typed" VALUES(3,'86d79d52-232e-4266-8493-75e843eef28b',1700000043.1,'command','bg-4','bg-4 D1: approve','taken','');
CREATE TABLE verifications (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, run INTEGER, command TEXT, source TEXT, token TEXT, folder TEXT,
  made REAL, begun REAL, ended REAL, outcome TEXT, why TEXT, code INTEGER, seconds REAL, output TEXT, head TEXT,
  tree TEXT, dirty INTEGER, changed TEXT, meanwhile TEXT, UNIQUE (agent, run));
CREATE TABLE windows (
  id INTEGER PRIMARY KEY, session TEXT, kind TEXT, label TEXT, text TEXT, opened REAL, closed REAL, proof INTEGER);
INSERT INTO "windows" VALUES(1,'86d79d52-232e-4266-8493-75e843eef28b','bg','bg-1','Audit it',1700000000.9,1700000003.2,1);
INSERT INTO "windows" VALUES(2,'86d79d52-232e-4266-8493-75e843eef28b','bg','bg-2','Count them',1700000004.3,1700000006.6,2);
INSERT INTO "windows" VALUES(3,'86d79d52-232e-4266-8493-75e843eef28b','bg','bg-3','Rename it',1700000007.8,1700000010.1,3);
INSERT INTO "windows" VALUES(4,'86d79d52-232e-4266-8493-75e843eef28b','bg','bg-4','Move it',1700000011.4,1700000013.7,4);
INSERT INTO "windows" VALUES(5,'86d79d52-232e-4266-8493-75e843eef28b','bg','bg-5','Try it',1700000015.1,1700000017.4,5);
INSERT INTO "windows" VALUES(6,'86d79d52-232e-4266-8493-75e843eef28b','bg','bg-6','Read it',1700000018.9,1700000021.2,6);
INSERT INTO "windows" VALUES(7,'86d79d52-232e-4266-8493-75e843eef28b','bg','bg-7','Wait',1700000022.8,1700000025.1,7);
INSERT INTO "windows" VALUES(8,'86d79d52-232e-4266-8493-75e843eef28b','bg','bg-8','Never launched',1700000026.8,1700000027.6,8);
INSERT INTO "windows" VALUES(9,'86d79d52-232e-4266-8493-75e843eef28b','delegation','bg-9','Profile src/parser on the corpus in bench/:
- find what takes the time above 1 MB of input
- propose one change, with its measured gain',1700000043.6,1700000046.5,11);
CREATE INDEX launches_agent ON launches (agent);
CREATE INDEX answers_label ON answers (label);
CREATE INDEX answers_question ON answers (question);
CREATE INDEX answers_resume ON answers (resume);
CREATE INDEX launches_label ON launches (label);
CREATE INDEX launches_name ON launches (name);
CREATE INDEX questions_label ON questions (label, state);
CREATE INDEX questions_state ON questions (state);
CREATE INDEX resumes_agent ON resumes (agent);
CREATE INDEX resumes_label ON resumes (label);
CREATE INDEX runs_label ON runs (label);
CREATE INDEX runs_open ON runs (agent) WHERE ended IS NULL;
CREATE INDEX signals_label ON signals (label);
CREATE INDEX tasks_ended ON tasks (ended);
CREATE INDEX tasks_group ON tasks (grp);
CREATE INDEX tasks_project ON tasks (project, state, session);
CREATE INDEX tasks_session ON tasks (session, state);
CREATE INDEX windows_label ON windows (label);
CREATE INDEX windows_open ON windows (session) WHERE closed IS NULL;
CREATE INDEX launches_window ON launches (window);
CREATE INDEX launches_unbound ON launches (label) WHERE agent = '' AND failed IS NULL;
CREATE INDEX launches_lost ON launches (label) WHERE identity IN ('lost', 'given');
CREATE INDEX questions_open ON questions (label) WHERE state = 'open';
CREATE INDEX tasks_root ON tasks (root, state, session);
CREATE INDEX typed_label ON typed (label);
CREATE INDEX retracted_question ON retracted (question);
CREATE INDEX retracted_gone ON retracted (gone);
CREATE INDEX retracted_replaced ON retracted (replaced_by);
CREATE INDEX retracted_undone ON retracted (undone_by);
CREATE INDEX proofs_open ON proofs (session) WHERE proof IS NULL;
CREATE INDEX proofs_label ON proofs (label);
CREATE INDEX proofs_call ON proofs (call);
CREATE INDEX answers_proof ON answers (proof);
CREATE INDEX windows_proof ON windows (proof);
CREATE INDEX children_label ON children (label);
CREATE INDEX children_agent ON children (agent);
CREATE INDEX tasks_ended_in ON tasks (root, ended) WHERE closed IS NULL;
CREATE INDEX tasks_interrupted ON tasks (ended) WHERE state = 'interrupted' AND closed IS NULL;
CREATE INDEX tasks_interrupted_in ON tasks (session, ended) WHERE state = 'interrupted' AND closed IS NULL;
CREATE INDEX tasks_open ON tasks (root) WHERE ended IS NULL;
CREATE INDEX answers_unsent ON answers (id) WHERE sent IS NULL;
CREATE INDEX resumes_open ON resumes (label) WHERE proven IS NULL AND failed IS NULL;
CREATE INDEX deliveries_label ON deliveries (label, kind);
CREATE INDEX deliveries_said ON deliveries (session) WHERE seen IS NULL;
CREATE INDEX deliveries_unseen ON deliveries (label) WHERE seen IS NULL;
CREATE INDEX deliveries_printed ON deliveries (session) WHERE seen IS NULL AND surfaced IS NOT NULL;
CREATE INDEX delegations_label ON delegations (label);
CREATE INDEX delegations_question ON delegations (question);
CREATE INDEX delegations_resume ON delegations (resume);
CREATE INDEX delegations_worker ON delegations (worker);
CREATE INDEX delegations_approved ON delegations (worker) WHERE state = 'approved';
CREATE INDEX roots_mark ON roots (mark);
CREATE INDEX verifications_label ON verifications (label);
CREATE INDEX verifications_open ON verifications (label) WHERE ended IS NULL;
CREATE INDEX runs_ended ON runs (ended);
CREATE INDEX proofs_judged ON proofs (proof, judged);
COMMIT;
PRAGMA user_version=4;
PRAGMA application_id=7;
