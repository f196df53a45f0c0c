"""Makes a text and a quote of it comparable: how a quote is wrapped, escaped, marked or cut short does not matter."""

from __future__ import annotations

import re
import unicodedata

from bg.pattern import pattern

LEAST = 6
_REMARK = pattern(r"\s*(?://|#|--|/\*|<!--|;;)\s.*$")
_ELISION = pattern(
    r"\s*(?:/\*\s*|<!--\s*|//\s*|#\s*|\[\s*)?(?:\.{3,}|…|[\[<(](?:snip|cut|omitted|\.{3})[\])>])(?:\s*(?:\*/|-->|\]))?\s*",
    re.IGNORECASE,
)
# One kind of quotation marks, as a quote within quotes changes them, one of dashes; signs that stand for two.
_SIGNS = {
    **dict.fromkeys(map(ord, '“”„‟«»‘’‚‛"'), "'"),
    **dict.fromkeys(map(ord, "‐‑‒–—−"), "-"),
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"), ""),
    ord("→"): "->",
    ord("⇒"): "=>",
    ord("≥"): ">=",
    ord("≤"): "<=",
    ord("≠"): "!=",
}
_ENTITY = pattern(r"&(lt|gt|amp|quot|apos|nbsp|#0?39|#34|#x27|#x22|#60|#62|#38);", re.IGNORECASE)
_ENTITIES = {
    "lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " ", "#39": "'", "#039": "'", "#34": '"',
    "#x27": "'", "#x22": '"', "#60": "<", "#62": ">", "#38": "&",
}  # fmt: skip
_NO_MATTER = pattern(r"\\[nrt]?|\*\*|[\s`]+")
_COMMA = pattern(r",(?=[)\]}>])")
_NUMBERS = pattern(r"(?:^\S+:\d{1,6}[:-]|^\d{1,6}[:-]|(?:^|(?<=\s))L?\d{1,6}(?:\s*[→|]\s*|:\s+))")
_JOINTS = pattern(r"\s*(?:[⏎↵¶␤]|<br\s*/?>)\s*|\s+(?:/|\|)\s+|;\s+")
_MARKED = pattern(r"([-+>|])\1{0,2}\s*(?=\S)")
_COMMENT = r"(?://[/!]?|#+!?|\*|--|;+|>|%)"
_COMMENTED = pattern(rf"\s*{_COMMENT}(?=\s|$)")
_COMMENTS = pattern(rf"(?:^|(?<=\s)){_COMMENT}(?=\s|$)")
_ENDS_TEXT, _GOES_ON = pattern(r"'[+.&]?$"), pattern(r"[+.&]?[fFrRbBu]{0,2}'")
_PAIR = pattern(r"[\"'](?P<key>[^\"']{1,80})[\"']\s*:\s*(?P<value>\S+)")


def plain(text: str) -> str:
    """A text without what only spells or spaces it otherwise."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_SIGNS)
    if "&" in text:
        text = _ENTITY.sub(lambda found: _ENTITIES[found[1].lower()], text)
    return _COMMA.sub("", _NO_MATTER.sub("", text.replace('"', "'")))


def lines(text: str, *, loose: bool = False) -> list[str]:
    """The lines of a text, plain; `loose` also joins comments and texts that are wrapped over several of them."""
    raw = text.splitlines()
    found = [plain(_COMMENTED.sub("", line, count=1) if loose else line) for line in raw]
    last = -1
    for number, line in enumerate(found):
        if not line:
            continue
        if last >= 0 and line[0] in ")]}>" and found[last].endswith(","):
            found[last] = found[last][:-1]
        ends = loose and last >= 0 and _ENDS_TEXT.search(found[last])
        goes_on = _GOES_ON.match(line) if ends else None
        if ends and goes_on:
            found[last], found[number] = found[last][: ends.start()], line[goes_on.end() :]
        last = number
    return found


def readings(quote: str, *, loose: bool = False) -> list[list[str]]:
    """What a quote may mean, each as pieces that follow each other: as it stands, then without what was added to it."""
    if loose:
        quote = _COMMENTS.sub("", quote)
    spelled = [quote]
    bare = _REMARK.sub("", quote)
    if len(bare.strip()) >= 4:
        spelled.append(bare)
    spelled += [_NUMBERS.sub("", quote), quote.rstrip(".;:!? ")]
    marked = _MARKED.match(quote)
    if marked:
        spelled.append(re.sub(rf"\s+{re.escape(marked[1])}{{1,3}}\s+", " … ", quote[marked.end() :]))
    pair = _PAIR.fullmatch(quote)
    if pair:
        spelled += [f"{pair['key']}: {pair['value']}", f"{pair['key']} = {pair['value']}"]
    found = [_pieces(each) for each in dict.fromkeys(spelled)]
    joined = _pieces(_JOINTS.sub(" … ", quote))
    if all(len(piece) >= LEAST for piece in joined):
        found.append(joined)
    return [pieces for number, pieces in enumerate(found) if pieces and pieces not in found[:number]]


def elides(quote: str) -> bool:
    """Whether a quote leaves something out."""
    return bool(_ELISION.search(quote))


def _pieces(quote: str) -> list[str]:
    return [piece for piece in (plain(each).rstrip(",") for each in _ELISION.split(quote)) if piece]
