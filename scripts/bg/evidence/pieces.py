"""The pieces of a declared line: what it names, what it quotes, how a run is said to have ended."""

from __future__ import annotations

import re

from bg.evidence import programs, purposes, shell
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

TICKED = pattern(r"(`{1,3})(?!`)(?P<text>.+?)(?<!`)\1(?!`)")
_QUOTED = pattern(r"(?P<open>[\"“«„'‘「『])(?P<text>.+)")
_CLOSING = {'"': '"', "“": "”", "«": "»", "„": '“”"', "'": "'", "‘": "’", "「": "」", "『": "』"}
_BARE = pattern(r"[^\s,;()`\"“”「」]+")
ARROW = pattern(r"\s*(?:->|→|=>|⇒|➜|⟶|--+>)\s*")
CONTAINS = pattern(
    r"[\s,;(]*(?:which\s+)?(?:now\s+)?(?:contains?|containing|enthält|contient|contiene|contém|包含|含む)\s*[:：]?\s*",
    re.IGNORECASE,
)
OF_LINE = pattern(
    r":L?(?P<first>\d{1,7})(?:\s?[-–:]\s?L?(?P<last>\d{1,7}))?$|#L(?P<hash>\d{1,7})(?:-L?(?P<until>\d{1,7}))?$"
)
PART_OF = pattern(r"(?:(?<=\.\w\w)|(?<=\.\w\w\w))(?:::[\w:.\[\]-]+|:[A-Za-z_][\w.]*)$")  # a test or a name in a file
AT_LINE = pattern(r"\s*[,(]?\s*(?:line|zeile|ligne|línea|linha|行)\s*(?P<first>\d{1,7})\)?", re.IGNORECASE)
SPACED = pattern(
    r"[^\s`\"“(),;:→]*/[^`\"“(),;:→/]{1,200}?\.[A-Za-z][A-Za-z0-9]{0,9}(?=\s*(?:$|[,;:(–—]| contains | - ))"
)
_ENDING = pattern(
    r"\.[A-Za-z][A-Za-z0-9]{0,11}$|/$|^\.[A-Za-z]|^(?:Makefile|Dockerfile|LICENSE|Gemfile|Rakefile|Procfile)$"
)
PASS = pattern(
    r"(?<!\w)(?:pass(?:e[sd]|ing)?|ok(?:ay)?|green|succe(?:ss|ssful|ssfully|eds?|eded)|clean|exit(?:ed)?(?: code|"
    r" status)? ?0|"
    r"bestanden|erfolgreich|grün|réussit?e?s?|passent|vert|éxito|exitosa?s?|pasa(?:n|ron|do)?|aprobad[oa]s?|passou|"
    r"passaram|ok)(?!\w)|通过|成功|合格|パス|通った|[✓✔✅]",
    re.IGNORECASE,
)
FAIL = pattern(
    r"(?<!\w)(?:fail(?:s|ed|ing|ure|ures)?|red|errors?|broken|exit(?:ed)?(?: code| status)? ?[1-9]\d*|fehlgeschlagen|"
    r"schlägt fehl|"
    r"rot|échou\w*|échecs?|fall(?:a|an|ó|aron|ido)|falh\w+)(?!\w)|失败|失敗|不合格|[❌✗✘]",
    re.IGNORECASE,
)
_NONE = pattern(
    r"(?<![\w.])(?:0|no|zero|keine?|sans|sin|aucune?)\s+(?:\w+\s+)?(?:fail\w*|errors?|warnings?|problems?|fehler|"
    r"erreurs?|échecs?|fallos?|errores)",
    re.IGNORECASE,
)
_FAILED_COUNT = pattern(r"(?<![\w.])\d{1,6}\s+(?:\w+\s+)?(?:failed|failing|failures?)(?!\w)", re.IGNORECASE)
_COUNT = pattern(
    r"(?<![\w./])(?P<done>\d{1,6})\s*(?:/|of|von|sur|de)\s*(?P<all>\d{1,6})(?![\w/])|"
    r"(?<![\w./])(?P<one>\d{1,6})\s*(?:(?:(?:unit )?tests?|specs?|examples?|个测试|件|个|項目?|pruebas|testes)?\s*"
    r"(?:pass(?:ed|es|ing)?|ok|bestanden|grün|réussis?|passés?|pasan|pasaron|pasad[oa]s|aprobad[oa]s|succeeded|通过|成功|"
    r"合格|パス)"
    r"|(?:tests?|specs?|examples?)(?!\w))",
    re.IGNORECASE,
)  # fmt: skip


_JSON = pattern(r"\.json[c5]?$|rc$")
_PAIR = pattern(r"(\"[^\"\n]{1,80}\"\s*:\s*(?:true|false|null|-?\d[\d.]*))\s*,?\s*$")
_SCRIPT = pattern(r"(?:\w+=\S+\s+)*(?:\.{0,2}/)?[\w.-]+(?:/[\w.-]+|\.(?:sh|py|js|rb|ps1))(?:\s|$)")
# A number of tests that is said to have passed, not only to be there.
PASS_COUNT = pattern(
    r"\d[\d,.' ]*\s*(?:(?:unit )?tests?|specs?|examples?|个测试|件|个)?\s*(?:pass(?:ed|es|ing)?|ok|bestanden|grün|"
    r"réussis?|passés?|pasan|pasaron|pasad[oa]s|aprobad[oa]s|succeeded|通过|成功|合格|パス)(?!\w)|\d\s*/\s*\d",
    re.IGNORECASE,
)


def thing(rest: str) -> tuple[str, str, bool]:
    """The first thing that a rest names, what follows it, and whether it stood in ticks."""
    ticked = TICKED.match(rest)
    if ticked:
        return ticked["text"].strip(), rest[ticked.end() :], True
    quoted = in_quotes(rest)
    if quoted is not None:
        return quoted[0], quoted[1], True
    linked = re.match(r"\[([^\]\n]+)\]\([^)\n]*\)", rest)
    if linked:
        return linked[1].strip("`"), rest[linked.end() :], True
    bare = _BARE.match(rest)
    if not bare:
        return "", rest, False
    word = bare[0].rstrip(".:!?*")
    return word, rest[len(word) :], False


def command(rest: str) -> tuple[str, str]:
    """The command that a rest begins with, and what follows it: in ticks, in quotes, or bare and known."""
    ticked = TICKED.match(rest)
    if ticked:
        return ticked["text"].strip().removeprefix("$ ").strip(), rest[ticked.end() :]
    quoted = in_quotes(rest)
    if quoted:
        return quoted[0].strip().removeprefix("$ ").strip(), quoted[1]
    arrow = ARROW.search(rest)
    sign = arrow or re.search(r"\s[–—]\s|:\s|：|\s-\s", rest)
    line = rest[: sign.start()].strip().removeprefix("$ ").strip() if sign else ""
    if not sign or not is_command(line):
        return "", rest
    if not arrow and not re.match(r"[\w./-]+(?:\s+[\w./:@=-]+){0,6}$", line):
        return "", rest
    return line, rest[sign.start() :]


def is_command(text: str) -> bool:
    """Whether words without ticks are a command line, and no sentence such as "the tests"."""
    if re.search(r"(?<!\S)(?:and|und|et|y|then|the|of)(?!\S)", text):
        return False
    [*parts] = shell.parts(text)
    first = parts[0] if parts else None
    if first is None:
        return False
    if purposes.is_test(first) or purposes.is_check(first) or _SCRIPT.match(text):
        return True
    return first.program in programs.COMMON and bool(first.words)


def is_path(text: str, *, ticked: bool) -> bool:
    """Whether a word can name a file: it has a folder or an ending, and no sign of code."""
    text = OF_LINE.sub("", text)
    if not text or len(text) > 500 or re.search(r"[<>|$=;{}()\"']|://|\.\.\.|…", text):
        return False
    if "/" in text or "\\" in text:
        return ticked or not re.fullmatch(r"\w+/\w+", text) or text.islower()
    return bool(_ENDING.search(text)) and (ticked or " " not in text)


def quotation(rest: str, name: str = "") -> tuple[str, str]:
    """A quoted text and what follows it; empty where nothing is quoted. Of a JSON file a name's value belongs to it."""
    pair = _PAIR.match(rest) if _JSON.search(name) else None
    if pair:
        return pair[1], ""
    ticked = TICKED.match(rest)
    if ticked:
        inner = ticked["text"].strip()
        quoted = in_quotes(inner)
        return (quoted[0] if quoted and not quoted[1].strip() else inner), rest[ticked.end() :]
    return in_quotes(rest) or ("", rest)


def in_quotes(rest: str) -> Optional[tuple[str, str]]:
    """Up to the last closing sign that nothing but a remark follows, so that quotes may stand within."""
    found = _QUOTED.match(rest)
    if found is None:
        return None
    text, closing = found["text"], _CLOSING[found["open"]]
    ends = [place for place, sign in enumerate(text) if sign in closing and text[place - 1 : place] != "\\"]
    if not ends:
        return None
    clean = [
        place for place in ends if re.match(r"\s*(?:$|[(\[,;.#–—→]|-\s|->|//|and |und |contains )", text[place + 1 :])
    ]
    end = clean[0] if clean else ends[-1]
    if len(clean) > 1 and re.match(r"\s*[,)]", text[end + 1 :]):
        # a call with several quoted arguments is one quote
        balanced = [place for place in clean if text[:place].count("(") == text[:place].count(")")]
        end = balanced[0] if balanced else end
    return text[:end].replace('\\"', '"').replace("\\'", "'"), text[end + 1 :]


def outcome(after: str) -> tuple[Optional[bool], int]:
    """How a run is said to have ended, the last word of several, and the number that is said to have passed."""
    cleaned = _NONE.sub(" ok ", after)
    plain = re.sub(r"\([^()]*\)", " ", cleaned)
    words = plain if PASS.search(plain) or FAIL.search(plain) else cleaned
    passed: Optional[bool] = None
    for part in re.split(r"(?:->|→|=>|⇒)|\bthen\b|\bnow\b|\bdann\b|\bpuis\b|\bluego\b|[.;]\s", words):
        good, bad = PASS.search(part), FAIL.search(part)
        if bad and good and good.start() < bad.start() and _FAILED_COUNT.search(part):
            passed = False  # "18 passed, 2 failed"
        elif good or bad:
            passed = good is not None and (bad is None or good.start() < bad.start())
    found = _COUNT.search(re.sub(r"(?<![\d.,])(\d{1,3})[,.' ](\d{3})(?![\d.,])", r"\1\2", after))
    count = int(found["done"] or found["one"]) if found else 0
    if found and found["done"] and int(found["done"]) > int(found["all"]):
        count = 0
    elif found and found["done"] and count < int(found["all"]) and passed and not PASS.search(after[: found.start()]):
        passed = None  # "16/18 passed" says of neither that all is well nor that it is not
    return passed, count
