"""The form in which an agent declares its work, read only if the meaning is certain; the rest is undeclared."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bg.evidence import named, pieces, programs, shell
from bg.evidence.pieces import ARROW
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Optional

MOST = 200
# The words of the form by their kind, in English and in the languages that models answer in most.
WORDS = {
    kind: "|".join(words)
    for kind, words in json.loads(Path(__file__).with_name("declared.json").read_text(encoding="utf-8")).items()
}
MOST_LINES, LONG, SLICED = 400, 400, 8
LONG_LINE = 1500


class Item(Record):
    """One declared fact: its kind, its subject, and the line as written; `kind` is "said" if the line declares none."""

    line: str
    kind: str
    subject: str = ""
    other: str = ""
    quote: str = ""
    passed: Optional[bool] = None
    number: int = 0
    first: int = 0
    last: int = 0
    remark: str = ""  # the text after the fact
    followed: bool = False  # a later line declares the same command
    loose: bool = False  # read from a sentence: the check may confirm it, and never doubts it


# The commands that were called

# The possible ends of a command without backticks: at a sign, or at a word that says where it was run.
_CUT = pattern(
    r"\s*(?:->|→|=>|⇒|➜|⟶|--+>)|\s[–—-]\s|[:：](?=\s|$)|：|\s\(|[,;]\s|(?P<word>\s(?=(?:at|in|on|from)\s))|$"
)

# Text that may precede a command in backticks that was run: a word for running, or a label.
_RUN_WITH = pattern(
    r"(?:(?<!\w)(?:" + WORDS["ran"] + r"|running|started|with|via|by|through|using|mit|avec|con|per)\s+|[:：]\s*)$",
    re.IGNORECASE,
)
_DENIED = pattern(
    r"(?<!\w)(?:not|never|without|cannot|no|before|would|could|should|will|until|nicht|ohne|kein\w*|pas|sans|sin|nunca)"
    r"(?!\w)|n['’]t(?!\w)|[不没未无無]|ない",
    re.IGNORECASE,
)
LABEL = pattern(r"[^\W\d_][^:：`\"/\\]{0,28}(?::\s+|：\s*|(?<=[^\x00-\x7f]):)")


class Named(Record):
    """A command that a line names, the text after it, and whether the words around it leave no doubt."""

    command: str
    after: str
    certain: bool


class Called:
    """The command lines that the agent called, each with the parts of it that a report may name."""

    def __init__(self, command_lines: Iterable[str] = ()) -> None:
        self._known: set[tuple[programs.Words, ...]] = set()
        for line in list(command_lines)[:MOST_LINES]:
            words = _split(line)
            most = len(words) if len(words) <= SLICED else 1
            self._known.add(words)
            self._known |= {words[at : at + size] for size in range(1, most + 1) for at in range(len(words))}

    def holds(self, text: str) -> bool:
        """Whether a text has the words of a command that was called."""
        return bool(self._known) and bool(text.strip()) and _split(text) in self._known

    def named(self, body: str, *, ran: bool) -> list[Named]:
        """The commands that a line names; `ran` if its first word says that they were run."""
        label = None if ran else LABEL.match(body)
        rests = [body, body[label.end() :]] if label else [body]
        found = next(filter(None, (self._first(rest, ran=ran) for rest in rests)), None)
        return [found] if found else self._within(body)

    def _first(self, rest: str, *, ran: bool) -> Optional[Named]:
        """The called command with which the rest of a line begins."""
        ticked = pieces.TICKED.match(rest)
        if ticked is None:
            return self._bare(rest, ran=ran)
        known = self.holds(ticked["text"])
        return Named(ticked["text"].strip(), rest[ticked.end() :], certain=True) if known else None

    def _bare(self, rest: str, *, ran: bool) -> Optional[Named]:
        """The longest beginning of a line's rest that is a called command without backticks."""
        cuts = [cut for cut in _CUT.finditer(rest[:LONG]) if "`" not in rest[: cut.start()]]
        for cut in reversed(cuts):
            text = rest[: cut.start()].strip()
            if (ran or " " in text or pieces.is_certain(text)) and self.holds(text):
                return Named(text, rest[cut.start() :], certain=ran or bool(cut[0].strip()) or cut.end() == len(rest))
        return None

    def _within(self, body: str) -> list[Named]:
        """The called commands in backticks within a sentence that says that they were run."""
        ticked = [found for found in pieces.TICKED.finditer(body) if self.holds(found["text"])]
        before = body[: ticked[0].start()] if ticked else ""
        if not _RUN_WITH.search(before) or _DENIED.search(before):
            return []
        ends = [*(found.start() for found in ticked[1:]), len(body)]
        return [Named(each["text"].strip(), body[each.end() : end], certain=False) for each, end in zip(ticked, ends)]


NOTHING_CALLED = Called()


def _split(line: str) -> tuple[programs.Words, ...]:
    return tuple(programs.plain(each.words) for each in shell.commands(line))


# The list as a whole


def read(text: str, called: Called = NOTHING_CALLED) -> tuple[list[Item], bool]:
    """The items of an evidence list, and whether it has more than are read."""
    found: list[Item] = []
    for line in _whole(text):
        found += _items(line, called)
        if len(found) > MOST:
            break
    last = {item.subject: item for item in found[:MOST] if item.kind == "ran"}
    kept = [item._replace(followed=item.kind == "ran" and item is not last[item.subject]) for item in found[:MOST]]
    return kept, len(found) > MOST


def _items(line: Line, called: Called) -> list[Item]:
    """The items that a line declares: by the words of the form, else by a command in it that was called, else none."""
    opening = _opened(line.body)
    if opening is None and line.under:
        opening = (line.under, line.body)
    if opening:
        found = _READERS[opening[0]](*opening, line.said) or _cells(line, called)
    else:
        backward = _fits_backward(line.body, line.said)
        found = [backward] if backward else _cells(line, called) or _bare_run(line)
    found = found or _called(line, called, opening)
    return [_marked(each, line) for each in found] or [Item(line.said, "said")]


def _called(line: Line, called: Called, opening: Optional[tuple[str, str]]) -> list[Item]:
    """Reads a line that names a command of the agent's own calls."""
    if opening and opening[0] != "ran":
        return []
    found: list[Item] = []
    for each in called.named(opening[1] if opening else line.body, ran=bool(opening)):
        items = _ran("ran", f"``{each.command}``{each.after}", line.said)
        found += [item._replace(loose=not each.certain and item.kind == "ran") for item in items]
    return found


def _marked(item: Item, line: Line) -> Item:
    """The item with the meaning of the line's signs added: the end of a run, or that a crossed-out fact is open."""
    if item.kind == "ran" and item.passed is None and line.mark is not None:
        return item._replace(passed=line.mark)
    crossed = line.mark is False and item.kind not in ("ran", "said", "open")
    return item._replace(kind="open", subject=line.body) if crossed else item


def _cells(line: Line, called: Called) -> list[Item]:
    """Reads a row of a table: a command and its end, or a file and its change."""
    if len(line.cells) < 2:
        return []
    first, rest = line.cells[0], " ".join(line.cells[1:])
    name = first.strip("`")
    if pieces.is_command(name) or called.holds(name):
        return _ran("ran", f"``{name}`` -> {rest}", line.said)
    opening = _opened(line.cells[1])
    kind = opening[0] if opening else ""
    return _paths(kind, first, line.said) if kind in ("wrote", "changed", "removed") else []


# Each kind of fact

# Words about a command that was left out, which do not claim that it ran.
_LEFT_OUT = pattern(
    r"\s*(?:->|→|=>|⇒|➜|⟶|--+>|[:：–—-])?\s*\(?\s*"
    r"(?:(?:(?:was|were|is|has|could|did)(?: not|n['’]t)|not|never)(?: be| been| yet)* "
    r"(?:run|executed|started|tried|attempted|possible|needed|applicable)|n/a|left out|omitted|"
    + WORDS["open"]
    + r")(?![\w-]|\s*[:=]?\s*\d)",
    re.IGNORECASE,
)

# The points of a remark at which the claim of a result may begin: not within a reason like "needs a clean base".
_CLAUSE = pattern(r"(?:->|→|[,;(–—]|\.\s)\s*(?:(?:all|then|now|but|and)\s+)*")
_ALSO = pattern(r"\s*(?:,\s*(?:and\s+|then\s+|und\s+)?|(?:and|then|und|puis|et|y|e|\+|&)\s+|、|和|と)(?=`)")
_MORE = pattern(r"\s*(?:,\s*(?:and\s+|und\s+|et\s+|y\s+)?|\s(?:and|und|et|y|e|\+|&)\s+|、|和\s*)(?=\S)")
_JOINS = pattern(r"\s(?:and|to|in|for|with|from|of|und|nach|et|vers|y|a|e)\s")
_NO_COMMIT = pattern(
    r"(?<!\w)(?:no|none|not|nothing|never|n/a|skip\w*|left|pending|later|will|tbd|open|without|nicht|kein\w*|nichts|"
    r"ohne|offen|aucun\w*|pas|rien|sin|ning\w*|nada|não|нет)(?!\w)|无|没|未|なし|不",
    re.IGNORECASE,
)
_BRANCH = pattern(
    r"(?:to |the |branch |nach |sur |a )*[`\"]?(?:origin[/ ])?(?P<name>[\w.-]+(?:/[\w.-]+)+|main|master)(?![\w/])"
)
_HASH = pattern(r"(?<![\w-])[0-9a-fA-F]{7,40}(?![\w-])|(?<![\w-])[0-9a-fA-F]{64}(?![\w-])")
_NUMBER = pattern(r"#(\d{1,7})\b|/(?:pull|pulls|merge_requests)/(\d{1,7})\b")
_NOT_PUSHED = pattern(r"\b(?:not|nicht|never|unpushed|pas|no)\b[^,;.]{0,12}\bpushed|unpushed", re.IGNORECASE)
_SCHEMA = pattern(r"\.(?:json|ya?ml)$")


def _paths(kind: str, rest: str, said: str) -> list[Item]:
    """Reads wrote / changed / removed PATH [, PATH …] [contains "text"]."""
    found: list[Item] = []
    while rest:
        name, after = _path(rest, spaced=not found)
        if not name:
            break
        contains = pieces.CONTAINS.match(after)
        quote = pieces.quotation(after[contains.end() :], name)[0] if contains else ""
        found.append(Item(said, kind, name, quote=quote, remark=after))
        more = None if contains else _MORE.match(after)
        rest = after[more.end() :] if more else ""
    if found and kind == "removed" and re.match(r"\s+[^\W\d_]", found[-1].remark) and not found[-1].quote:
        return []  # only a part of the file was removed, or the line means something else
    return found


def _path(rest: str, *, spaced: bool) -> tuple[str, str]:
    """The file with which the rest of a line begins, and the text after it; empty if it is not certainly a file."""
    name, after, ticked = pieces.first_name(rest)
    plain = ticked or (pieces.is_path(name, ticked=False) and named.is_file(name))
    blanks = pieces.SPACED.match(rest) if spaced and not plain else None
    if blanks and not _JOINS.search(blanks[0]):
        name, after = blanks[0], rest[blanks.end() :]
    called = not ticked and after.startswith("(")  # a call, not a file
    if called or not pieces.is_path(name, ticked=ticked):
        return "", rest
    return pieces.PART_OF.sub("", pieces.OF_LINE.sub("", name)), after


def _moved(kind: str, rest: str, said: str) -> list[Item]:
    """Reads a line of the form `moved A -> B`."""
    old, after, ticked = pieces.first_name(rest)
    parted = ARROW.match(after) or re.match(r"\s+(?:to|nach|vers|a|para|als|as|into|zu)\s+", after)
    if not pieces.is_path(old, ticked=ticked) or not parted:
        return []
    new, _, ticked = pieces.first_name(after[parted.end() :])
    return [Item(said, kind, old, other=new)] if new and (ticked or pieces.is_path(new, ticked=False)) else []


def _ran(kind: str, rest: str, said: str) -> list[Item]:
    """Reads ran `COMMAND` -> pass | fail [N passed]."""
    found: list[Item] = []
    while rest:
        command, after = pieces.command(rest)
        if not command:
            break
        found.append(Item(said, kind, command, remark=after))
        more = _ALSO.match(after)
        rest = after[more.end() :] if more else ""
    if not found:
        return []
    remark = found[-1].remark
    if _LEFT_OUT.match(remark) and not _claims_a_result(remark):
        return [each._replace(kind="open", remark="") for each in found]
    number = pieces.count(remark) if len(found) == 1 else 0
    return [each._replace(passed=pieces.passed(remark), number=number, remark=remark) for each in found]


def _claims_a_result(remark: str) -> bool:
    """Whether a clause of a remark is a pass, or begins with a number of tests that have passed."""
    clauses = [clause.strip(" .)") for clause in _CLAUSE.split(remark)]
    return any(pieces.PASS.fullmatch(clause) or pieces.PASS_COUNT.match(clause) for clause in clauses)


def _bare_run(line: Line) -> list[Item]:
    """Reads `COMMAND` -> pass without a word of the form, at the line's beginning or after a label."""
    label = LABEL.match(line.body)
    for rest in (line.body, line.body[label.end() :] if label else ""):
        command, after = pieces.command(rest)
        ended = ARROW.match(after) or (line.mark is not None) or pieces.passed(after) is not None
        if command and ended and (rest.startswith("`") or pieces.is_certain(command)) and pieces.is_command(command):
            return _ran("ran", rest, line.said)
    return []


def _commit(kind: str, rest: str, said: str) -> list[Item]:
    """Reads commit HASH, pushed, opened PR; a message may replace the hash."""
    hashes = _HASH.findall(re.sub(r"\([^()]*\)", " ", rest)) or _HASH.findall(rest)[:1]
    found = [Item(said, kind, name.lower(), remark=rest) for name in hashes]
    if found:
        return found + _published(rest, said)
    text, _ = pieces.quotation(rest)
    if rest.strip() and not text and not re.match(r"\W*(?:$|pushed|and|,)", rest):
        if not re.search(r"commit(?:ted)?\W*[:：]", said, re.IGNORECASE) or _NO_COMMIT.search(rest):
            return []
        text = re.sub(r"\s*\([^()]*\)\s*$", "", rest).strip(" .*`")
    return [Item(said, kind, "", quote=text, remark=rest), *_published(rest, said)]


def _published(rest: str, said: str) -> list[Item]:
    pushed = re.search(r"(?<!\w)pushed(?!\w)", rest, re.IGNORECASE) and not _NOT_PUSHED.search(rest)
    found = [Item(said, "pushed", "push")] if pushed else []
    opened = re.search(r"(?<!\w)" + WORDS["pr"].split("|PR")[0], rest, re.IGNORECASE)
    if opened and not re.search(r"\b(?:no|not)\b[^,;.]{0,20}$", rest[: opened.start()], re.IGNORECASE):
        found += _pr("pr", rest[opened.end() :], said)
    return found


def _pushed(kind: str, rest: str, said: str) -> list[Item]:
    branch = _BRANCH.match(rest)
    found = [Item(said, kind, "push", other=branch["name"] if branch else "")]
    return [*found, *(each for each in _published(rest, said) if each.kind == "pr")]


def _pr(kind: str, rest: str, said: str) -> list[Item]:
    number = _NUMBER.search(rest)
    return [Item(said, kind, (number[1] or number[2]) if number else "")]


def _saw(kind: str, rest: str, said: str) -> list[Item]:
    """Reads saw PATH:LINE "quote"."""
    name, after, ticked = pieces.first_name(rest)
    path, first, last, after = pieces.place(name, after, ticked=ticked)
    if not pieces.is_path(path, ticked=ticked) and not (first and ticked):
        return []
    behind = re.sub(r"^[\s:,;–—-]*(?:(?:reads|says|contains|states|has)\s*:?\s*)?", "", after)
    text, remark = pieces.quotation(behind, path)
    return [Item(said, kind, path, quote=text, first=first, last=last, remark=remark)] if first or text else []


def _fits(kind: str, rest: str, said: str) -> list[Item]:
    """Reads fits SCHEMA: FILE."""
    schema, after, _ = pieces.first_name(rest)
    name, _, ticked = pieces.first_name(re.sub(r"^[\s:：,(–—-]*(?:file\s+)?(?:->|→)?\s*", "", after))
    if not _SCHEMA.search(schema):
        return []
    return [Item(said, kind, name if pieces.is_path(name, ticked=ticked) else "", other=schema)]


def _fits_backward(body: str, said: str) -> Optional[Item]:
    """Reads FILE fits SCHEMA."""
    name, after, ticked = pieces.first_name(body)
    found = re.match(r"\s*(?:\w+\s+)?fits\s+(?:the\s+)?(?:schema\s+)?", after)
    if not found or not pieces.is_path(name, ticked=ticked):
        return None
    schema, _, _ = pieces.first_name(after[found.end() :])
    return Item(said, "fits", name, other=schema) if _SCHEMA.search(schema) else None


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


# The lines of a list, and the words that they begin with

_BULLET = pattern(r"\s*(?:(?:[-*+]\s+|[•·・–—▪◦]\s*|\d{1,3}[.)]\s+|[✓✔✅☑❌✗✘🟢🔴]\ufe0f?\s*|\[[ xX✓]\]\s*|>\s+))*")
_BOLD = pattern(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")
_BEFORE = pattern(
    r"(?:(?:also|then|first|next|finally|at last|lastly|last|i|we|and|[^\W\d_]*[^\x00-\x7f]\w*),?\s+)+(?=\w)",
    re.IGNORECASE,
)
_AGAIN = pattern(r"\(?\s*(?:" + "|".join(WORDS.values()) + r")\s*\)?(?![\w/.-])\s*[:：]?\s*", re.IGNORECASE)
_GOES_ON = pattern(r"(?:->|→|=>|⇒|,)$")
_MARK = pattern(r"[✓✔✅☑❌✗✘]|\[[xX✓]\]")
_CROSSES = "❌✗✘"
_HEADING = pattern(
    r"(?:(?:files?|commands?|tests?|checks?)\s+)?(?P<word>wrote|written|created|changed|modified|updated|removed|deleted|ran|run|"
    r"executed|not (?:done|checked|run)|tests|checks|commands)(?:\s+(?:files?|commands?|tests?|checks?))?\s*[:：]",
    re.IGNORECASE,
)

# Text that may precede a word of the form: the severity of a finding, or that a run was made at the end.
_GRAVE = pattern(
    r"[\[(]?(?:critical|high|medium|moderate|low|info|major|minor|blocker|nit|bug|warning|[PS][0-4]|[CWE]+-\d+|kritisch|"
    r"hoch|mittel|niedrig|alta|media|baja|haute|moyenne|faible)[\])]?\s*[-–—:]?\s+(?=\w)",
    re.IGNORECASE,
)
_AT_LAST = pattern(
    r"(?:after (?:the |my |all |every )*(?:last|final|all|every)\s*(?:\w+ )?(?:changes?|edits?|fix(?:es)?|commits?)|"
    r"(?:at|in) the (?:very )?end|at last|once more|afterwards|"
    r"nach (?:der|den|allen) (?:letzten |meinen )?(?:Änderung(?:en)?)|am Ende|zum Schluss|danach|"
    r"à la fin|après (?:la dernière modification|les modifications)|al final|tras el último cambio|"
    r"最後に)\s*[,:]?\s+(?=\w)",
    re.IGNORECASE,
)
_KEYWORD = pattern(
    "(?:"
    + "|".join(f"(?P<{kind}>{words})" for kind, words in WORDS.items())
    + r")(?:(?<=[^\x00-\x7f])|(?![\w/.-]))\s*[:：]?\s*",
    re.IGNORECASE,
)


class Line(Record):
    """One line: as it was written, without its bullet, and the meaning of the signs around it.

    `mark` is True for a tick and False for a cross before it, `cells` are those of a table's row, and `under` is the
    kind of fact that the heading above it names.
    """

    said: str
    body: str
    mark: Optional[bool] = None
    cells: tuple[str, ...] = ()
    under: str = ""


def _whole(text: str) -> Iterator[Line]:
    """The lines of a list, except its headings, each with the kind of fact that its heading names."""
    heading, depth = "", 0
    for said, indent in _joined(text):
        line, bulleted = _line(said), bool(_BULLET.match(said)[0].strip())  # type: ignore[index]
        under = heading if indent > depth and (depth >= 0 or bulleted) else ""
        if not under:
            heading, depth = _heading(line.body), indent if bulleted else -1
        if under or not heading:  # a heading itself declares nothing
            yield line._replace(under=under)


def _joined(text: str) -> Iterator[tuple[str, int]]:
    """Each line with its indentation; wrapped lines are joined, and the header of a table is left out."""
    held, at = "", 0
    for raw in text.replace("\r\n", "\n").replace("\\n", "\n").split("\n"):
        line = raw.strip()
        if re.fullmatch(r"\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*)?", line):
            held = ""  # the held line is the header of this table
        elif line and not re.fullmatch(r"`{3,}\w*|~{3,}\w*|[-|: ]+", line):
            if held and not _starts(line, raw, held):
                held = f"{held} {_BULLET.sub('', line, count=1)}"[:LONG_LINE]
                continue
            if held:
                yield held, at
            held, at = line[:LONG_LINE], len(raw) - len(raw.lstrip())
    if held:
        yield held, at


def _starts(line: str, raw: str, held: str) -> bool:
    """Whether a line is an entry of its own, and does not continue the one before it."""
    if raw[:1].isspace() and pieces.CONTAINS.match(_BULLET.sub("", line, count=1)):
        return False
    if line.startswith("|") or _BULLET.match(line)[0].strip() or _KEYWORD.match(line):  # type: ignore[index]
        return True
    goes_on = _GOES_ON.search(held) or line[:2] in ("->", "→ ")
    return not goes_on and not raw[:1].isspace()


def _line(said: str) -> Line:
    row = said.startswith("|") and said.endswith("|")
    parted = re.split(r"(?<!\\)\|", said.strip("|")) if row else []
    cells = tuple(cell.strip().replace("\\|", "|") for cell in parted)
    text = _joined_cells(cells) if row else said
    bullet = _BULLET.match(text)
    signs = " ".join([bullet[0] if bullet else "", *filter(_MARK.fullmatch, cells)])
    marks = {mark not in _CROSSES for mark in _MARK.findall(signs)}
    body = _BULLET.sub("", text, count=1).strip()
    bold = _BOLD.match(body)
    body = bold[2] + body[bold.end() :] if bold else body
    return Line(" ".join(said.split()), body, marks.pop() if len(marks) == 1 else None, cells)


def _joined_cells(cells: tuple[str, ...]) -> str:
    """The cells of a row that have letters, and its last cell."""
    return " ".join([*(cell for cell in cells[:-1] if re.search(r"[^\W\d_]", cell)), *cells[-1:]])


def _heading(body: str) -> str:
    """The kind of fact that a heading like "Files changed:" names for the lines below it."""
    found = _HEADING.fullmatch(body.strip("*_# "))
    opened = _KEYWORD.match(found["word"]) if found else None
    return str(opened.lastgroup) if opened else "ran" if found else ""


def _opened(said: str) -> Optional[tuple[str, str]]:
    """The kind of fact that the first words of a line declare, and the text after them; None if the line is prose."""
    keyword = _KEYWORD.match(said)
    for ahead in (LABEL, _BEFORE, _GRAVE, _AT_LAST):
        begins = ahead.match(said) if keyword is None else None
        keyword = _KEYWORD.match(said, begins.end()) if begins else keyword
    if keyword is None:
        return None
    rest = said[keyword.end() :]
    labelled = keyword.lastgroup != "open" and keyword[0].rstrip()[-1:] in (":", "：")  # "gelaufen: ran"
    twice = rest.startswith("(") or not keyword[0].isascii() or labelled
    again = _AGAIN.match(rest) if twice else None
    return str(keyword.lastgroup), rest[again.end() :] if again else rest
