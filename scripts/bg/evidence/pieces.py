"""The pieces of a declared line: its names, commands and quotations, and the declared end of a run."""

from __future__ import annotations

import re

from bg.evidence import programs, shell
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
    r"[\s,;(]*(?:(?:which|(?:so that|and) it)\s+)?(?:now\s+)?"
    r"(?:contains?|containing|enthält|contient|contiene|contém|包含|含む)\s*[:：]?\s*",
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
    r"\.[A-Za-z][A-Za-z0-9]{0,11}$|/$|^\.[A-Za-z]|^(?:Makefile|Dockerfile|Containerfile|[Jj]ustfile|Jenkinsfile|Pipfile|CODEOWNERS|NOTICE|VERSION|LICENSE|Gemfile|Rakefile|Procfile)$"
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
_THOUSANDS = pattern(r"(?<![\d.,])(\d{1,3})[,.' ](\d{3})(?![\d.,])")
_PARTS = pattern(r"(?:->|→|=>|⇒)|\bthen\b|\bnow\b|\bdann\b|\bpuis\b|\bluego\b|[.;]\s")
_TAIL = pattern(r"\s*:?\s*L?(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?(?=\W|$)")
_BEHIND = pattern(r"\s*(?:$|[(\[,;.#–—→]|-\s|->|//|and |und |contains )")
_SIGN = pattern(r"\s*(?:->|→|=>|⇒|➜|⟶|--+>)|\s[–—]\s|:\s|：|\s-\s|\s\(|,\s")
_SENTENCE = pattern(r"(?<!\S)(?:and|und|et|y|then|the|of|with|for|was|were|is|are)(?!\S)")
_SCRIPT = pattern(r"(?:\w+=\S+\s+)*(?:\.{0,2}/)?[\w.-]+(?:/[\w.-]+|\.(?:sh|py|js|rb|ps1))(?:\s|$)")
# A number of tests with the word that they passed, or out of all (`3/4`); a number of tests alone does not match.
PASS_COUNT = pattern(
    r"\d[\d,.' ]*\s*(?:(?:unit )?tests?|specs?|examples?|个测试|件|个)?\s*(?:pass(?:ed|es|ing)?|ok|bestanden|grün|"
    r"réussis?|passés?|pasan|pasaron|pasad[oa]s|aprobad[oa]s|succeeded|通过|成功|合格|パス)(?!\w)|\d\s*/\s*\d",
    re.IGNORECASE,
)


def first_name(rest: str) -> tuple[str, str, bool]:
    """The first name in the rest of a line, the text after it, and whether it was in backticks, quotes or a link."""
    ticked = TICKED.match(rest)
    if ticked:
        return ticked["text"].strip(), rest[ticked.end() :], True
    quoted = _in_quotes(rest)
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
    """The command that begins the rest of a line (in backticks, quotes, or bare and known), and the text after it."""
    ticked = TICKED.match(rest)
    quoted = None if ticked else _in_quotes(rest)
    if ticked or quoted:
        line, after = (ticked["text"], rest[ticked.end() :]) if ticked else quoted or ("", "")
        return line.strip().removeprefix("$ ").strip(), after
    sign = _SIGN.search(rest)
    at = sign.start() if sign else len(rest)
    line = rest[:at].strip().removeprefix("$ ").strip()
    plain = bool(sign and ARROW.match(sign[0])) or re.fullmatch(r"[\w./-]+(?:\s+[\w./:@=*-]+){0,8}", line)
    return (line, rest[at:]) if plain and is_command(line) else ("", rest)


def is_command(text: str) -> bool:
    """Whether words without backticks are a command line, and not a phrase like "the tests"."""
    if not text or _SENTENCE.search(text):
        return False
    found = shell.commands(text)
    words = found[0].words if found else ("",)
    if is_certain(text) or _SCRIPT.match(text):
        return True
    return len(words) > 1 and (programs.is_look(words) or programs.bare(words[0]) in programs.COMMON)


def is_certain(text: str) -> bool:
    """Whether words can be nothing but a command: a known runner, linter or package manager with its verb."""
    found = shell.commands(text)
    return bool(found) and programs.is_known_check(found[-1].words) and not _SENTENCE.search(text)


def is_path(text: str, *, ticked: bool) -> bool:
    """Whether a word can name a file: it has a folder or an ending, and no sign of code."""
    text = OF_LINE.sub("", text)
    if not text or len(text) > 500 or re.search(r"[<>|$=;{}()\"']|://|\.\.\.|…", text):
        return False
    if "/" in text or "\\" in text:
        return ticked or not re.fullmatch(r"\w+/\w+", text) or text.islower()
    return bool(_ENDING.search(text)) and (ticked or " " not in text)


def quotation(rest: str, name: str = "") -> tuple[str, str]:
    """A quoted text and the text after it; empty if nothing is quoted. In a JSON file, a name's value is part of it."""
    pair = _PAIR.match(rest) if _JSON.search(name) else None
    if pair:
        return pair[1], ""
    ticked = TICKED.match(rest)
    if ticked:
        inner = ticked["text"].strip()
        quoted = _in_quotes(inner)
        return (quoted[0] if quoted and not quoted[1].strip() else inner), rest[ticked.end() :]
    return _in_quotes(rest) or ("", rest)


def _in_quotes(rest: str) -> Optional[tuple[str, str]]:
    """A quote up to the first sign that can end it, and the rest: brackets are closed, and only a remark follows."""
    found = _QUOTED.match(rest)
    if found is None:
        return None
    text, closing = found["text"], _CLOSING[found["open"]]
    ends = [place for place, sign in enumerate(text) if sign in closing and text[place - 1 : place] != "\\"]
    if not ends:
        return None
    clean = [place for place in ends if _BEHIND.match(text[place + 1 :])]
    even = [place for place in clean if _is_whole(text[:place], found["open"])]
    end = [*even[:1], *clean[-1:], ends[-1]][0]
    return text[:end].replace('\\"', '"').replace("\\'", "'"), text[end + 1 :]


def _is_whole(text: str, sign: str) -> bool:
    """Whether the quotes and brackets that a text opens are closed in it."""
    brackets = all(text.count(one) <= text.count(other) for one, other in ("()", "[]", "{}"))
    return brackets and (sign != '"' or text.replace('\\"', "").count(sign) % 2 == 0)


def place(name: str, after: str, *, ticked: bool) -> tuple[str, int, int, str]:
    """A path, its first and last line (0 if none are named), and the text after them."""
    at = OF_LINE.search(name)
    if at:
        first = int(at["first"] or at["hash"])
        return name[: at.start()], first, max(first, int(at["last"] or at["until"] or first)), after  # less is a column
    tail = _TAIL.match(after) if ticked and after[:1] == ":" else None
    if tail:
        return name, int(tail[1]), int(tail[2] or tail[1]), after[tail.end() :]
    spoken = AT_LINE.match(after)
    first = int(spoken["first"]) if spoken else 0
    return name, first, first, after[spoken.end() :] if spoken else after


def passed(after: str) -> Optional[bool]:
    """Whether a run is declared as passed, by the last word of several; None if no word tells."""
    cleaned = _NONE.sub(" ok ", after)
    plain = re.sub(r"\([^()]*\)", " ", cleaned)
    words = plain if PASS.search(plain) or FAIL.search(plain) else cleaned
    said: Optional[bool] = None
    for part in _PARTS.split(words):
        good, bad = PASS.search(part), FAIL.search(part)
        if good and bad:
            said = good.start() < bad.start() and not _FAILED_COUNT.search(part)
        elif good or bad:
            said = good is not None
    return None if said and _is_partly(after) else said


def speaks_of_a_pass(after: str) -> bool:
    """Whether anything in a remark says that a run passed, whatever else it says."""
    return bool(PASS.search(_NONE.sub(" ok ", after)))


def _is_partly(after: str) -> bool:
    """Whether only a part of all is declared as passed, which claims neither a pass nor a failure."""
    found = _of_all(after)
    return bool(found) and found[0] < found[1] and not PASS.search(after[: found[2]])  # type: ignore[index]


def is_of_passed(remark: str, number: int) -> bool:
    """Whether a number is declared as that of passed tests, and not only of tests."""
    said = (_THOUSANDS.sub(r"\1\2", found[0]) for found in PASS_COUNT.finditer(remark))
    return any(str(number) in re.findall(r"\d+", each) for each in said)


def count(after: str) -> int:
    """The declared number of passed tests, 0 if none is declared."""
    found = _of_all(after)
    if found:
        return found[0] if found[0] <= found[1] else 0
    one = _COUNT.search(_THOUSANDS.sub(r"\1\2", after))
    return int(one["one"] or 0) if one else 0


def _of_all(after: str) -> Optional[tuple[int, int, int]]:
    """A part and a whole, as in 16/18, and their position."""
    found = _COUNT.search(_THOUSANDS.sub(r"\1\2", after))
    return (int(found["done"]), int(found["all"]), found.start()) if found and found["done"] else None
