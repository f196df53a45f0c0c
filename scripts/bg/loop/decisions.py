"""Decisions: the only place where the user's words are read as yes or no.

A decision is a phrase of the table, whole ("sure", "ok, go ahead", "nein danke"), or such a phrase, then a clear
separator, then a condition or a reason ("approve, but only the fixtures", "no: use the existing one"). Everything
else decides nothing and is asked back: a question, a yes with a no ("ok, deny it"), a no on a condition, a
postponement, a misspelling.
Where in doubt it is asked back: that costs the user a line, a wrong reading an agent.
"""

from __future__ import annotations

import re
import unicodedata

from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

YES, NO = "yes", "no"
_LATER, _FILLER = "later", "filler"

# By language: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian and Ukrainian, Japanese,
# Chinese, Korean, then a few more. Left out is what means both: "da" and "ne", "no problem", "いいです", "go", "skip".
# A short word weighs less than a sentence: "approve, no tests" sets a condition, "ok, no tests" may be either.
_SHORT = {
    YES: "yes|y|yep|yup|yeah|ok|okay|o.k|sure|sure thing|fine|all right|alright|of course|absolutely|definitely"
    "|certainly|ja|jep|jawohl|klar|gern|gerne|natürlich|oui|ouais|d'accord|bien sûr|sí|si|vale|claro|por supuesto|sì"
    "|certo|va bene|sim|tá bom|está bem|tak|jasne|dobrze"
    "|да|конечно|хорошо|ладно|ок|так|はい|ええ|うん|了解|是|是的|好|好的|可以|行|没问题"
    "|네|예|응|좋아|좋아요|그래|כן|+1|evet|tamam|हाँ|हां|نعم|ναι|ano|jo|kyllä|\U0001f44d|\u2705",
    NO: "no|n|nope|nah|no way|nein|nö|non|não|nao|nee|nie|нет|ні"
    "|いいえ|いや|不|不是|不行|不要|不用|否|아니|아니요|아니오|לא"
    "|hayır|नहीं|لا|όχι|nej|nei|ei|\U0001f44e|\u274c",
}
_SENTENCE = {
    YES: "approve|approved|i approve|accept|accepted|i accept|agreed|i agree|confirm|confirmed|i confirm|allow|allowed"
    "|go ahead|go for it|do it|do so|please do|proceed|launch it|start it|sounds good|looks good|lgtm|fine by me"
    "|fine with me|no objection|no objections|ok with me|works for me|that's fine|that is fine|by all means"
    "|genehmigt|genehmigen|ich genehmige|einverstanden|ich stimme zu|in ordnung|geht klar|mach das|mach es|freigegeben"
    "|approuvé|approuver|j'approuve|accepté|j'accepte|vas-y|allez-y|ça marche"
    "|aprobado|aprobar|apruebo|aceptado|acepto|de acuerdo|adelante|hazlo"
    "|approvato|approva|approvo|accetto|d'accordo|procedi|fallo|aprovado|aprovar|aprovo|concordo|de acordo|pode fazer"
    "|goedgekeurd|akkoord|mee eens|doe maar|ga je gang|zatwierdzam|zatwierdzone|zgadzam się|zgoda|zrób to"
    "|одобряю|одобрено|разрешаю|подтверждаю|согласен|согласна|давай|схвалюю"
    "|承認|承認する|承認します|賛成|賛成です|お願いします|どうぞ|やってください|批准|同意|我同意|去做吧|继续吧"
    "|승인|승인합니다|승인해요|동의합니다|진행하세요|진행해|onaylıyorum|onayla",
    NO: "deny|denied|i deny|reject|rejected|i reject|refuse|refused|i refuse|decline|declined|i decline|disapprove"
    "|i disapprove|i disagree|i cannot approve|i can't approve|cannot approve|can't approve"
    "|i won't approve|i do not approve|i don't approve|i do not agree|i don't agree|don't approve"
    "|do not approve|not approved|not allowed"
    "|not ok|not okay|don't|dont|do not|don't do it|do not do it|don't do that|do not do that|rather not|better not"
    "|absolutely not|certainly not|definitely not|of course not|not at all|never"
    "|not agreed|nicht einverstanden|nicht in ordnung|nicht ok|nicht okay|abgelehnt|ablehnen|ich lehne ab|lehne ab"
    "|lieber nicht|besser nicht|bitte nicht|auf keinen fall|nicht genehmigt"
    "|pas d'accord|non d'accordo|no estoy de acuerdo|refusé|refuser|je refuse|rejeté|pas question|surtout pas"
    "|rechazado|rechazar|rechazo|denegado|denegar|claro que no|de ninguna manera"
    "|rifiutato|rifiuta|rifiuto|assolutamente no|recusado|recusar|recuso|rejeitado|rejeito|claro que não"
    "|de jeito nenhum"
    "|afgewezen|geweigerd|liever niet|niet doen|odrzucam|odrzucone|odmawiam|nie zgadzam się"
    "|отклоняю|отклонено|отказываю|отказ|запрещаю|не надо|нельзя|не согласен|не согласна|не одобряю|відхиляю"
    "|却下|却下します|拒否|拒否します|承認しません|やめてください|だめ|だめです|拒绝|拒絕|我拒绝|不同意|我不同意|不批准|不可以"
    "|거절|거절합니다|거부|거부합니다|하지 마|하지 마세요|안 돼|안돼|reddet|reddediyorum",
    _LATER: "right|whatever|as if|if you say so"
    "|later|not now|not yet|wait|hold on|maybe|perhaps|not sure|i don't know|it depends|depends|never mind"
    "|nevermind|forget it|leave it|drop it|cancel|cancel it|cancel that|stop|stop it|skip|skip it|no need"
    "|vielleicht|später|noch nicht|warte|weiß nicht|peut-être|plus tard|pas encore|attends|quizás|más tarde|todavía no"
    "|forse|più tardi|non ancora|talvez|mais tarde|ainda não|misschien|later|może|później|может быть|позже|ещё не"
    "|たぶん|後で|まだ|也许|稍后|等等|아마|나중에|잠깐",
}
_BUT = "but|because|aber|weil|mais|parce que|pero|porque|ma|mas|maar|omdat|ale|bo|но|потому что"
_WITHOUT_WEIGHT = (
    f"{_BUT}|and|then|so|well|just|actually|please|pls|thanks|thank you|recommended|it|this|that|d1|the delegation"
    "|the new agent|und|dann|also|bitte|danke|das|por favor|gracias|s'il te plaît|s'il vous plaît|merci|per favore"
    "|grazie"
    "|obrigado|obrigada|alstublieft|dank je|proszę|dziękuję|пожалуйста|спасибо|это|就|吧"
)

_PHRASES: dict[str, tuple[str, bool]] = {
    **dict.fromkeys(_WITHOUT_WEIGHT.split("|"), (_FILLER, False)),
    **{phrase: (kind, True) for kind, phrases in _SENTENCE.items() for phrase in phrases.split("|")},
    **{phrase: (kind, False) for kind, phrases in _SHORT.items() for phrase in phrases.split("|")},
}
_MOST_WORDS = 1 + max(phrase.count(" ") for phrase in _PHRASES)

_UNSEEN = pattern("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufe0f\ufeff\U0001f3fb-\U0001f3ff]")
_QUESTION = pattern(r"[?\u061f](?!\w)")
_ASKS = pattern(
    r"(?:what|why|how|who|which|warum|wieso|wie viel|wozu|pourquoi|combien|por qué|cuánto|perché|quanto|waarom|hoeveel"
    r"|dlaczego|ile|почему|зачем|сколько)\b|なぜ|いくら|为什么|多少|왜|얼마"
)
_NOT = pattern(r"(?:not|don't|dont|do not|never|nicht|kein|pas|niet|не)\b")
# A yes on a condition is a yes with that condition; a no on one may be either.
_IF = (
    "if|once|when|after|unless|until|as long as|so long as|provided|except|wenn|falls|sobald|solange|si|dès que|sauf"
    "|cuando|excepto|se|quando|als|если"
)
_ONLY = "only|without|nur|ohne|seulement|sans|solo|sin|senza|só|sem|alleen|zonder|только|без"
_SEPARATOR = pattern(rf"[,;:!(\n、。]|\.(?=\s|\.)|\s[-–]+\s|—|\s(?=(?:{_BUT}|{_IF}|{_ONLY})\s)")
_ON_A_CONDITION = pattern(rf"(?:(?:{_BUT}|and)\s+)?(?:{_IF})\b")
_LIMITS = pattern(r"no (?:more|less|fewer|later|longer|earlier|bigger) than\b|no need to\b")
_LISTED = pattern(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
# Wherever one of these stands in a condition, it may be meant as the decision.
_DECIDES = pattern(
    r"\b(?:approv|disapprov|den(?:y|ie)|reject|refus|declin|genehmig|ablehn|abgelehnt|approuv|aprob|aprueb|rechaz|deneg"
    r"|rifiut|aprov|recus|rejeit|goedgekeurd|afgewez|geweiger|zatwierdz|odrzuc|одобр|отклон|отказ)"
    r"|承認|却下|拒否|批准|拒绝|拒絕|승인|거절|거부"
)
_EITHER = pattern(r"\bor\b.{3}", re.IGNORECASE | re.DOTALL)
_EDGES = " \t\n*_`\"'“”„«»‘()[]<>{}.!,;:…-–—、。"


class Decision(Record):
    """Yes or no, and whether the user's words set a condition or give a reason besides."""

    verdict: str
    qualified: bool


class _Piece(Record):
    """What a piece says that consists of nothing but phrases of the table."""

    verdicts: set[str]
    short: bool


def read(words: str) -> Optional[Decision]:
    """The decision in the user's words, None where it must be asked back."""
    text = _UNSEEN.sub("", unicodedata.normalize("NFKC", words)).replace("’", "'").casefold()
    if text.strip() in ("-1", "\u22121"):
        return Decision(NO, qualified=False)
    if _QUESTION.search(text):
        return None
    lines = text.lstrip(_EDGES).split("\n")
    # What is listed below a yes are its conditions, line by line, whatever word each begins with.
    listed = [line for line in lines[1:] if _LISTED.match(line)]
    said = "\n".join(lines[:1] + [line for line in lines[1:] if not _LISTED.match(line)])
    first, *rest = [clause for clause in _SEPARATOR.split(said) if clause.strip(_EDGES)] or [""]
    head = _piece(first)
    if head is None or head.verdicts not in ({YES}, {NO}):
        return None
    verdict = next(iter(head.verdicts))
    same = [_agrees(clause, verdict, short=head.short) for clause in rest]
    same += [_agrees(line, verdict, short=head.short and verdict == NO) for line in listed if line.strip(_EDGES)]
    return None if None in same else Decision(verdict, qualified=False in same)


def is_either(request: str) -> bool:
    """The request asks for one of two things, so that yes and no may mean either."""
    asked = [each.rpartition(".")[2] for each in request.split("?")[:-1]]
    return any(_EITHER.search(each) for each in asked)


def names_it(words: str) -> bool:
    """The words say what is decided, not only yes or no."""
    return bool(_DECIDES.search(words.casefold()))


def _agrees(clause: str, verdict: str, *, short: bool) -> Optional[bool]:
    """Whether a further clause says the same again (or nothing), or else something; None where it contradicts."""
    piece = _piece(clause)
    if piece is not None:
        return True if piece.verdicts <= {verdict} else None
    if verdict == NO and _ON_A_CONDITION.match(clause.strip(_EDGES)):
        return None
    words = [word.strip(_EDGES) or word for word in clause.strip(_EDGES).split()]
    condition = verdict == YES and (words[0] in _BUT.split("|") or bool(_LIMITS.match(" ".join(words))))
    while _PHRASES.get(words[0], ("",))[0] == _FILLER:
        words.pop(0)
    rest = " ".join(words)
    if _DECIDES.search(clause) or _ASKS.match(rest):
        return None
    other = (NO if verdict == YES else YES, False)
    if short and not condition and (_PHRASES.get(words[0]) == other or (verdict == YES and _NOT.match(rest))):
        return None
    return None if verdict == YES and _PHRASES.get(words[-1]) == other else False


def _piece(text: str) -> Optional[_Piece]:
    """Reads a piece phrase by phrase, the longest first; None where anything is left."""
    words = [word.strip(_EDGES) or word for word in text.strip(_EDGES).split()]
    found: list[tuple[str, bool]] = []
    place = 0
    while place < len(words):
        for count in range(min(_MOST_WORDS, len(words) - place), 0, -1):
            known = _PHRASES.get(" ".join(words[place : place + count]))
            if known is not None:
                break
        else:
            return None
        found += [known] if known[0] != _FILLER else []
        place += count
    # "No deny it" says no twice; "don't deny" and "never refuse" do not.
    if any(sentence and kind == NO for kind, sentence in found[:-1]):
        return None
    return _Piece({kind for kind, _ in found}, not any(sentence for _, sentence in found))
