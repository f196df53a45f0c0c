"""The form in which an agent declares what it did, a fact a line, read leniently; the rest is prose."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional

MOST = 200
LONG = 1500
WORDS = {
    "wrote": r"wrote|written|write|created?|added|new(?: file)?",
    "changed": r"changed?|updated?|modified|modify|edited?",
    "removed": r"removed?|deleted?",
    "moved": r"moved?|renamed?",
    "ran": r"re-?ran|ran|run|executed",
    "commit": r"commit(?:ted)?",
    "pushed": r"pushed",
    "pr": r"(?:opened|created)\s+(?:a\s+|the\s+)?(?:draft\s+)?(?:PR|pull request|MR|merge request)|PR(?=\s*[#:]|$)",
    "saw": r"saw|seen",
    "fits": r"fits",
    "open": r"not (?:done|checked|tested|run|verified)|unchecked|skipped",
}
_BULLET = pattern(r"\s*(?:(?:[-*+•·–—▪◦]|\d{1,3}[.)]|[✓✔✅☑❌✗✘🟢🔴]\ufe0f?|\[[ xX✓]\]|>)\s*)*")
_DECORATION = pattern(r"(?:\*\*|__)(?=\S)|(?<=\S)(?:\*\*|__)")
_LABEL = pattern(r"[^\W\d_][^:`\"/\\]{0,28}[:：]\s+")
_KEYWORD = pattern(
    "(?:" + "|".join(f"(?P<{kind}>{words})" for kind, words in WORDS.items()) + r")(?![\w/.-])\s*[:：]?\s*",
    re.IGNORECASE,
)
_TICKED = pattern(r"(`{1,3})(?!`)(?P<text>.+?)(?<!`)\1(?!`)")
_QUOTED = pattern(r"(?P<open>[\"“«„'‘「『])(?P<text>.+)")
_CLOSING = {'"': '"', "“": "”", "«": "»", "„": '“”"', "'": "'", "‘": "’", "「": "」", "『": "』"}
_BARE = pattern(r"[^\s,;()`\"“”「」]+")
_ARROW = pattern(r"\s*(?:->|→|=>|⇒|➜|⟶|--+>)\s*")
_CONTAINS = pattern(
    r"[\s,;(]*(?:which\s+)?(?:now\s+)?(?:contains?|containing|enthält|contient|contiene|contém|包含|含む)\s*[:：]?\s*",
    re.IGNORECASE,
)
_OF_LINE = pattern(
    r":L?(?P<first>\d{1,7})(?:\s?[-–:]\s?L?(?P<last>\d{1,7}))?$|#L(?P<hash>\d{1,7})(?:-L?(?P<until>\d{1,7}))?$"
)
_AT_LINE = pattern(r"\s*[,(]?\s*(?:line|zeile|ligne|línea|linha|行)\s*(?P<first>\d{1,7})\)?", re.IGNORECASE)
_SPACED = pattern(
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
_HASH = pattern(r"(?<![\w-])[0-9a-fA-F]{7,40}(?![\w-])|(?<![\w-])[0-9a-fA-F]{64}(?![\w-])")
_NUMBER = pattern(r"#(\d{1,7})\b|/(?:pull|pulls|merge_requests)/(\d{1,7})\b")


class Item(Record):
    """One declared fact: its kind, what it names, and the line as it was written; `kind` is "said" for prose."""

    line: str
    kind: str
    subject: str = ""
    other: str = ""
    quote: str = ""
    passed: Optional[bool] = None
    number: int = 0
    first: int = 0
    last: int = 0


def read(text: str) -> list[Item]:
    """Every line of an evidence list, as it was meant; nothing is rejected."""
    found: list[Item] = []
    for line in _lines(text):
        found += _items(line)
        if len(found) >= MOST:
            break
    return found[:MOST]


def _lines(text: str) -> Iterator[str]:
    """The lines, those that a wrap has parted put together again."""
    held = ""
    for raw in text.replace("\r\n", "\n").replace("\\n", "\n").split("\n"):
        line = raw.strip()
        if not line or re.fullmatch(r"`{3,}\w*|~{3,}\w*|[-|: ]+", line):
            continue
        starts = _BULLET.match(line)[0].strip() or _KEYWORD.match(line) or not raw[:1].isspace()  # type: ignore[index]
        if starts:
            if held:
                yield held
            held = line[:LONG]
        else:
            held = f"{held} {line}"[:LONG]
    if held:
        yield held


def _items(line: str) -> list[Item]:
    said = " ".join(line.split())
    if line.startswith("|") and line.endswith("|"):
        line = " ".join(cell.strip() for cell in line.strip("|").split("|"))
    body = _DECORATION.sub("", _BULLET.sub("", line, count=1)).strip()
    keyword = _KEYWORD.match(body)
    if keyword is None:
        label = _LABEL.match(body)
        keyword = _KEYWORD.match(body, label.end()) if label else None
    if keyword is None:
        backward = _fits_backward(body, said)
        return [backward] if backward else [Item(said, "said")]
    kind = str(keyword.lastgroup)
    rest = body[keyword.end() :]
    return _READERS[kind](kind, rest, said) or [Item(said, "said")]


def _object(rest: str) -> tuple[str, str, bool]:
    """The first thing that a rest names, what follows it, and whether it stood in ticks."""
    ticked = _TICKED.match(rest)
    if ticked:
        return ticked["text"].strip(), rest[ticked.end() :], True
    quoted = _quoted(rest)
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


def _is_path(text: str, *, ticked: bool) -> bool:
    """Whether a word can name a file: it has a folder or an ending, and no sign of code."""
    text = _OF_LINE.sub("", text)
    if not text or len(text) > 500 or re.search(r"[<>|$=;{}()\"']|://|\.\.\.|…", text):
        return False
    if "/" in text or "\\" in text:
        return ticked or not re.fullmatch(r"\w+/\w+", text) or text.islower()
    return bool(_ENDING.search(text)) and (ticked or " " not in text)


def _paths(kind: str, rest: str, said: str) -> list[Item]:
    """Reads wrote / changed / removed PATH [, PATH …] [contains "text"]."""
    found: list[Item] = []
    while True:
        name, after, ticked = _object(rest)
        if not ticked and not _is_path(name, ticked=False):
            spaced = _SPACED.match(rest)
            if not found and spaced:
                name, after = spaced[0], rest[spaced.end() :]
        if not _is_path(name, ticked=ticked):
            break
        at = _OF_LINE.search(name)
        found.append(Item(said, kind, _OF_LINE.sub("", name) if at else name))
        contains = _CONTAINS.match(after)
        if contains:
            text, _ = _text(after[contains.end() :])
            if text:
                found[-1] = found[-1]._replace(quote=text)
            break
        more = re.match(r"\s*(?:,\s*(?:and\s+|und\s+|et\s+|y\s+)?|\s(?:and|und|et|y|e|\+|&)\s+|、|和\s*)(?=\S)", after)
        if not more:
            if kind == "removed" and re.match(r"\s+[^\W\d_]", after):
                return []  # a part of the file, or something else in other words
            break
        rest = after[more.end() :]
    return found


def _text(rest: str) -> tuple[str, str]:
    """A quoted text and what follows it; empty where nothing is quoted."""
    ticked = _TICKED.match(rest)
    if ticked:
        inner = ticked["text"].strip()
        quoted = _quoted(inner)
        return (quoted[0] if quoted and not quoted[1].strip() else inner), rest[ticked.end() :]
    return _quoted(rest) or ("", rest)


def _quoted(rest: str) -> Optional[tuple[str, str]]:
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


def _moved(kind: str, rest: str, said: str) -> list[Item]:
    """Reads moved A -> B."""
    old, after, ticked = _object(rest)
    parted = _ARROW.match(after) or re.match(r"\s+(?:to|nach|vers|a|para|als|as|into|zu)\s+", after)
    if not _is_path(old, ticked=ticked) or not parted:
        return []
    new, _, ticked = _object(after[parted.end() :])
    return [Item(said, kind, old, other=new)] if new and (ticked or _is_path(new, ticked=False)) else []


def _ran(kind: str, rest: str, said: str) -> list[Item]:
    """Reads ran `COMMAND` -> pass | fail [N passed]."""
    ticked = _TICKED.match(rest)
    if ticked:
        command, after = ticked["text"].strip(), rest[ticked.end() :]
    else:
        quoted = _quoted(rest)
        if quoted:
            command, after = quoted
        else:
            arrow = _ARROW.search(rest)
            sign = arrow or re.search(r"\s[–—]\s|:\s|：|\s-\s", rest)
            if sign is None:
                return []
            command, after = rest[: sign.start()].strip(), rest[sign.start() :]
            if not arrow and not re.match(r"[\w./-]+(?:\s+[\w./:@=-]+){0,6}$", command):
                return []
    command = command.removeprefix("$ ").strip()
    if not command:
        return []
    passed, number = _outcome(after)
    return [Item(said, kind, command, passed=passed, number=number)]


def _outcome(after: str) -> tuple[Optional[bool], int]:
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
    found = _COUNT.search(after)
    count = int(found["done"] or found["one"]) if found else 0
    if found and found["done"] and int(found["done"]) > int(found["all"]):
        count = 0
    return passed, count


def _commit(kind: str, rest: str, said: str) -> list[Item]:
    """Reads commit HASH, pushed, opened PR; a message may stand for the hash."""
    found = []
    hashes = _HASH.findall(rest)
    for name in hashes[:10]:
        found.append(Item(said, kind, name.lower()))
    if not hashes:
        text, _ = _text(rest)
        if rest.strip() and not text and not re.match(r"\W*(?:$|pushed|and|,)", rest):
            return []
        found.append(Item(said, kind, "", quote=text))
    return found + _published(rest, said)


def _published(rest: str, said: str) -> list[Item]:
    found = []
    denied = re.search(
        r"\b(?:not|nicht|never|unpushed|pas|no)\b[^,;.]{0,12}\bpushed|not pushed|unpushed", rest, re.IGNORECASE
    )
    if re.search(r"(?<!\w)pushed(?!\w)", rest, re.IGNORECASE) and not denied:
        found.append(Item(said, "pushed", "push"))
    opened = re.search(r"(?<!\w)" + WORDS["pr"].split("|PR")[0], rest, re.IGNORECASE)
    if opened and not re.search(r"\b(?:no|not)\b[^,;.]{0,20}$", rest[: opened.start()], re.IGNORECASE):
        found += _pr("pr", rest[opened.end() :], said)
    return found


def _pushed(kind: str, rest: str, said: str) -> list[Item]:
    return [Item(said, kind, "push"), *(each for each in _published(rest, said) if each.kind == "pr")]


def _pr(kind: str, rest: str, said: str) -> list[Item]:
    number = _NUMBER.search(rest)
    return [Item(said, kind, (number[1] or number[2]) if number else "")]


def _saw(kind: str, rest: str, said: str) -> list[Item]:
    """Reads saw PATH:LINE "quote"."""
    name, after, ticked = _object(rest)
    at = _OF_LINE.search(name)
    if not at:
        behind = ticked and after[:1] == ":"
        tail = re.match(r"\s*:?\s*L?(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?(?=\W|$)", after) if behind else None
        named = _AT_LINE.match(after)
        first = int(tail[1]) if tail else int(named["first"]) if named else 0
        last = int(tail[2]) if tail and tail[2] else first
        after = after[tail.end() :] if tail else after[named.end() :] if named else after
        path = name
    else:
        path = name[: at.start()]
        first = int(at["first"] or at["hash"])
        last = max(first, int(at["last"] or at["until"] or first))  # less is a column
    if not _is_path(path, ticked=ticked) and not (first and ticked):
        return []
    after = re.sub(r"^[\s:,;–—-]*(?:(?:reads|says|contains|states|has)\s*:?\s*)?", "", after)
    text, _ = _text(after)
    if not first and not text:
        return []
    return [Item(said, kind, path, quote=text, first=first, last=last)]


def _fits(kind: str, rest: str, said: str) -> list[Item]:
    """Reads fits SCHEMA: FILE."""
    schema, after, _ = _object(rest)
    name, _, ticked = _object(re.sub(r"^[\s:：,(–—-]*(?:file\s+)?(?:->|→)?\s*", "", after))
    if not re.search(r"\.(?:json|ya?ml)$", schema):
        return []
    return [Item(said, kind, name if _is_path(name, ticked=ticked) else "", other=schema)]


def _fits_backward(body: str, said: str) -> Optional[Item]:
    """Reads FILE fits SCHEMA."""
    name, after, ticked = _object(body)
    found = re.match(r"\s*(?:\w+\s+)?fits\s+(?:the\s+)?(?:schema\s+)?", after)
    if not found or not _is_path(name, ticked=ticked):
        return None
    schema, _, _ = _object(after[found.end() :])
    return Item(said, "fits", name, other=schema) if re.search(r"\.(?:json|ya?ml)$", schema) else None


def _open(kind: str, rest: str, said: str) -> list[Item]:
    return [Item(said, kind, rest.strip())]


_READERS = {
    "wrote": _paths,
    "changed": _paths,
    "removed": _paths,
    "moved": _moved,
    "ran": _ran,
    "commit": _commit,
    "pushed": _pushed,
    "pr": _pr,
    "saw": _saw,
    "fits": _fits,
    "open": _open,
}
