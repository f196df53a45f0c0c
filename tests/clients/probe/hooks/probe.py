"""Writes down what the host gave to a hook (stdin, a few environment names, its ancestors) and answers by rule.

The test names a folder in PROBE_OUT. `events.jsonl` there receives one line an event; `rules.json` is a list of
rules, of which the first that fits and is not used up decides the answer:
  event, tool, contains   what the rule fits; absent fits all
  times                   how often it may be used; absent is for ever
  answer                  the object to print; `prefix` and `merge` make updatedInput out of the tool's own input
  plain, stderr, exit     what else to print, and the exit code
  sleep, watch            seconds to wait first; seconds to watch the transcript for its last line
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Optional

NAMES = (
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CONFIG_DIR",
    "CLAUDECODE",
    "CLAUDE_ENV_FILE",
    "CLAUDE_CODE_SESSION_KIND",
    "AI_AGENT",
)


def ancestors(count: int = 4) -> list[str]:
    """The command lines above this process, nearest first, each cut short."""
    found: list[str] = []
    pid = os.getppid()
    while pid > 1 and len(found) < count:
        command = ["ps", "-o", "ppid=,args=", "-p", str(pid)]
        line = subprocess.run(command, capture_output=True, text=True, check=False)
        parts = line.stdout.split(None, 1)
        if len(parts) < 2:
            break
        found.append(parts[1].strip()[:160])
        pid = int(parts[0])
    return found


def last_line(path: Optional[str]) -> Optional[dict[str, Any]]:
    """Size and last line of a transcript as it stands now."""
    try:
        raw = Path(str(path)).read_bytes()
    except OSError:
        return None
    lines = raw.splitlines()
    last = lines[-1].decode(errors="replace") if lines else ""
    try:
        record = json.loads(last)
        kind = record.get("type")
        content = (record.get("message") or {}).get("content")
    except (ValueError, AttributeError):
        kind, content = "not-json", last
    return {"size": len(raw), "lines": len(lines), "type": kind, "content": str(content)[:300]}


def watch(path: Optional[str], seconds: float) -> list[dict[str, Any]]:
    """Each state of the transcript within some seconds, with the time since the start."""
    started = time.time()
    states: list[dict[str, Any]] = []
    while time.time() - started < seconds:
        state = last_line(path) or {"size": -1}
        if not states or states[-1]["size"] != state["size"]:
            states.append({"after": round(time.time() - started, 4), **state})
        time.sleep(0.002)
    return states


def fitting(folder: Path, event: dict[str, Any]) -> dict[str, Any]:
    """The first rule that fits and is not used up; each use leaves a file, so parallel hooks cannot use it twice."""
    try:
        rules = json.loads((folder / "rules.json").read_text())
    except OSError:
        return {}
    whole = json.dumps(event, ensure_ascii=False)
    for number, rule in enumerate(rules):
        if rule.get("event", event.get("hook_event_name")) != event.get("hook_event_name"):
            continue
        if rule.get("tool", event.get("tool_name")) != event.get("tool_name") or rule.get("contains", "") not in whole:
            continue
        for use in range(rule.get("times", 10_000)):
            try:
                os.close(os.open(folder / f"used-{number}-{use}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            return dict(rule)
    return {}


def answer(rule: dict[str, Any], event: dict[str, Any]) -> str:
    """What to print."""
    value = rule.get("answer")
    if "prefix" in rule or "merge" in rule:
        changed = {**event["tool_input"], **rule.get("merge", {})}
        for key, words in rule.get("prefix", {}).items():
            changed[key] = words + changed[key]
        value = {"hookSpecificOutput": {"hookEventName": event["hook_event_name"], "updatedInput": changed}}
    return json.dumps(value) if value else str(rule.get("plain", ""))


def main() -> int:
    """Record, then answer."""
    started = time.time()
    folder = Path(os.environ["PROBE_OUT"])
    event = json.load(sys.stdin)
    rule = fitting(folder, event)
    note = {
        "at": started,
        "event": event,
        "env": {name: os.environ[name] for name in NAMES if name in os.environ},
        "transcript": last_line(event.get("transcript_path")),
        "agent_transcript": last_line(event.get("agent_transcript_path")),
        "ancestors": ancestors() if event["hook_event_name"] in ("SessionStart", "PostToolUse") else [],
    }
    if rule.get("watch"):
        note["watched"] = watch(event.get("agent_transcript_path"), rule["watch"])
    time.sleep(rule.get("sleep", 0))
    note["ended"] = time.time()
    line = os.open(folder / "events.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(line, (json.dumps(note, ensure_ascii=False) + "\n").encode())
    os.close(line)
    sys.stdout.write(answer(rule, event))
    sys.stderr.write(rule.get("stderr", ""))
    return int(rule.get("exit", 0))


if __name__ == "__main__":
    sys.exit(main())
