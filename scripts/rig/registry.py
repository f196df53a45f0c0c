"""Whether a package registry answers: npm or pip asks once, within a bound, and its errors become a short clause."""

from __future__ import annotations

import re
import subprocess

from rig.home import kill_group

PATIENCE = 9.0  # seconds for one question, the program's own start included
#: Options with which the programs report what was wrong before `PATIENCE` is over.
NPM = ("--fetch-retries=0", "--fetch-timeout=6000")
PIP = ("-vv", "--retries", "0", "--timeout", "6", "--disable-pip-version-check")

NO_ANSWER = "does not answer"
_CAUSES = (
    (r"ECONNREFUSED|connection refused|actively refused", "refuses the connection"),
    (r"ENOTFOUND|EAI_AGAIN|getaddrinfo|name or service not known|name resolution|to resolve", "has no known name"),
    (r"ETIMEDOUT|network timeout|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|timed out", NO_ANSWER),
    (r"\bcode E(\d{3})\b|\b(\d{3}) (?:client|server) error|too many (\d{3}) error", "answers with HTTP status {}"),
    (r"(CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|CERTIFICATE_VERIFY_FAILED)", "has no accepted certificate: {}"),
    (r"ENETUNREACH|EHOSTUNREACH|network is unreachable|no route to host", "cannot be reached from this network"),
    (r"ECONNRESET|reset by peer|socket hang up|ERR_SOCKET_CLOSED", "breaks the connection off"),
)
NOT_THERE = "answers with HTTP status 404"
_PLACE = re.compile(r"(?:request to|GET|timeout at:|fetch URL) (https?)://(?:[^\s/@]*@)?([^\s/]+)")


def ask(command: list[str]) -> str:
    """Run a program that asks its registry for something; return what was wrong, or empty if nothing."""
    return answer(command)[1]


def answer(command: list[str]) -> tuple[str, str]:
    """The same, but return first everything that the program has printed."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return "", f"the registry {NO_ANSWER} (waited {PATIENCE:.0f} s)"
        finally:
            if process.returncode is None:
                kill_group(process.pid)
    return said, reason(said) if process.returncode else ""


def reason(said: str) -> str:
    """The reason that npm or pip prints for a failure of the registry, as one clause."""
    place = _PLACE.search(said)
    name = f"the registry {place[2]}" if place else "the registry"
    for pattern, words in _CAUSES:
        found = re.search(pattern, said, re.IGNORECASE)
        if found:
            return f"{name} " + words.format(next((group for group in found.groups() if group), ""))
    lines = [line.strip() for line in said.splitlines() if re.match(r"(npm error|npm ERR!|ERROR:)", line)]
    return f"{name} does not give it: " + " / ".join(lines[:2] or ["no reason was given"])
