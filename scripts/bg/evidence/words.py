"""The words by which reports claim, deny and propose, in the languages that models write most.

Each pattern is a flat alternation without nested repetition, so that no text makes it slow. CJK words stand without
word boundaries, since such text has none.
"""

from __future__ import annotations

import re

from bg.pattern import pattern

Pattern = re.Pattern[str]


def _any(latin: str, cjk: str = "") -> Pattern:
    """One pattern for words with boundaries and for CJK words without."""
    each = rf"(?<!\w)(?:{latin})(?!\w)"
    return pattern(f"{each}|{cjk}" if cjk else each, re.IGNORECASE)


MADE_WORDS = (
    "created|wrote|written|added|criei|adicionei|escrevi|creé|añadí|escribí|generated|produced|saved|stored|"
    "exported|built|implemented|delivered|drafted|authored|"
    "prepared|set up|dumped|recorded|captured|placed|put|introduced|scaffolded|compiled|documented|"
    "erstellt|angelegt|geschrieben|hinzugefügt|erzeugt|gespeichert|neu ist|abgelegt|ergänzt|"
    "créée?s?|écrite?s?|ajoutée?s?|générée?s?|enregistrée?s?|produite?s?|rédigée?s?|"
    "cread[oa]s?|escrit[oa]s?|añadid[oa]s?|generad[oa]s?|guardad[oa]s?|agregad[oa]s?|redactad[oa]s?|"
    "criad[oa]s?|adicionad[oa]s?|gerad[oa]s?|salv[oa]s?|creat[oiae]|scritt[oiae]|aggiunt[oiae]|generat[oiae]|"
    "salvat[oiae]|"
    "aangemaakt|geschreven|toegevoegd|создан[аоы]?|написан[аоы]?|добавлен[аоы]?|сохранён|сохранен[аоы]?"
)
MADE_CJK = (
    "作成し|書きました|追加し|生成し|保存し|新規作成|创建了|"
    "已创建|新建了|已新建|写入了|已写入|添加了|已添加|生成了|已生成|保存到|新增"
)
CHANGED_WORDS = (
    "changed|modified|updated|edited|fixed|rewrote|rewritten|reworked|refactored|extended|replaced|switched|migrated|"
    "adjusted|shortened|simplified|converted|cleaned up|cleaned|bumped|upgraded|raised|hardened|corrected|patched|"
    "improved|restructured|optimi[sz]ed|polished|merged|tightened|translated|formatted|reformatted|hardened|repaired|"
    "geändert|angepasst|aktualisiert|überarbeitet|korrigiert|behoben|umgestellt|umgeschrieben|erweitert|verbessert|"
    "modifiée?s?|mise?s? à jour|corrigée?s?|changée?s?|adaptée?s?|"
    "modificad[oa]s?|actualizad[oa]s?|corregid[oa]s?|cambiad[oa]s?|corrigid[oa]s?|atualizad[oa]s?|alterad[oa]s?|"
    "modificat[oiae]|aggiornat[oiae]|corrett[oiae]|gewijzigd|aangepast|bijgewerkt|изменён|изменен[аоы]?|"
    "обновлён|обновлен[аоы]?|"
    "исправлен[аоы]?"
)
CHANGED_CJK = "変更し|修正し|更新し|編集し|修改了|已修改|更新了|已更新|修复了|已修复|变更"
REMOVED_WORDS = (
    "removed|deleted|dropped|erased|gelöscht|entfernt|supprimée?s?|retirée?s?|eliminad[oa]s?|borrad[oa]s?|"
    "removid[oa]s?|"
    "excluíd[oa]s?|eliminat[oiae]|rimoss[oiae]|verwijderd|удалён|удален[аоы]?"
)
REMOVED_CJK = "削除し|删除了|已删除"

MADE = _any(MADE_WORDS, MADE_CJK)
CHANGED = _any(CHANGED_WORDS, CHANGED_CJK)
REMOVED = _any(REMOVED_WORDS, REMOVED_CJK)
RENAMED = _any(
    "renamed|moved|umbenannt|verschoben|renommée?s?|déplacée?s?|renombrad[oa]s?|movid[oa]s?|rinominat[oiae]|hernoemd|"
    "переименован[аоы]?",
    "改名|リネーム|重命名|移动到|移動し",
)
STATE_NOW = _any(
    "now|no longer|is at|are at|is down to|has|have|uses|binds|returns|refuses|rejects|tolerates|checks|"
    "requires|jetzt|nun|"
    "nicht mehr|desormais|désormais|maintenant|ahora|agora|adesso|теперь",
    "现在|ように",
)
PRESENT = (
    r"(?:is|are|was|were)\s+(?:now\s+|all\s+|both\s+)?(?:in place|there|ready|at|in|under|done|finished|"
    r"complete|available)"
    r"|lists?|contains?|describes?|covers?|explains?|holds|documents|has been|exists?|can be found|liegt|"
    r"enthält|steht"
    r"|contient|contiene|contém|完成|成功"
)
AT = (
    r"(?:available|output|result|results|report|located|found|lives?|is|are)\s+(?:\w+\s+){0,2}?(?:to|in|at|as|"
    r"under|into|below)\s+(?:the\s+)?(?:file\s+|folder\s+)?"
)
PUT = (
    r"(?:saved|stored|written|wrote|exported|generated|placed|put|dumped|recorded|collected|documented|"
    r"gespeichert|geschrieben)\s+"
    r"(?:[\w,]+\s+){0,3}?(?:to|in|at|as|under|into|below|unter|nach)\s+(?:the\s+)?(?:file\s+|folder\s+)?"
)
SEE = r"(?:(?<!\w)(?:see|siehe|voir|véase|ver|vedi)(?!\w)|參照|参照|详见|见)\s+(?:also\s+)?"

KEPT = _any(
    "unchanged|untouched|unmodified|not (?:been )?(?:touched?|changed?|modif(?:y|ied)|edit(?:ed)?)|left "
    "(?:\\w+ ){0,3}(?:alone|as)|"
    "as (?:it|they) (?:was|were)|exactly as before|as before|nothing (?:was )?(?:added|changed)|as at launch|"
    "byte for byte|"
    "did not (?:touch|change|modify|edit)|have not (?:touched|changed)|didn't (?:touch|change|modify|edit)|"
    "nicht (?:angefasst|geändert|verändert)|unverändert|inchangée?s?|sin cambios|sem alterações|"
    "invariat[oiae]|без изменений",
    "未修改|没有修改|変更していません|未变",
)
DENIED = _any(
    "not|never|cannot|can't|don't|doesn't|didn't|won't|isn't|aren't|wasn't|weren't|haven't|hasn't|without|"
    "neither|nor|no|none|missing|absent|"
    "nonexistent|skipped|failed to|unable|pending|blocked|denied|refused to|lacks?|"
    "nicht|kein|keine|keinen|nie|ohne|fehlt|fehlen|ne|pas|jamais|aucune?|sans|manque|sin|nunca|ningún|ninguna|"
    "falta|faltan|pendiente|"
    "não|sem|non|senza|manca|niet|geen|не|нет|без",
    "ません|ない|なかった|なし|没有|未|不|无",
)
HEDGE = _any(
    "would|could|should|might|may|if|unless|propos\\w+|suggest\\w*|recommend\\w*|planned|later|future|to-?do|"
    "next step|next steps|need|needs|needed|will|want|wants|consider|I'd|we'd|eg|for example|such as|instead of|"
    "expected|expects|shall|let me|you can|please|once|until|before you|whether|"
    "temporary|temporarily|temp|scratch|throwaway|optional|optionally|"
    "hypothetical|imagine|ideally|perhaps|maybe|possibly|upstream|when you|natural place|alternatively|"
    "würde|könnte|sollte|wenn|falls|vorschlag|vorschläge|empfehle|später|geplant|noch zu|wäre|"
    "serait|pourrait|devrait|propose|proposition|recommande|prochaines?|reste(?:nt)? à|"
    "podría|debería|sería|propongo|propuesta|recomiendo|sugiero|poderia|deveria|seria|sugiro|proponho|"
    "potrebbe|dovrebbe|sarebbe|suggerisco|zou|предлагаю|можно|следует|если|стоит",
    "お勧め|提案|予定|べき|建议|可以|如果|应该|计划",
)
PLAN = _any(
    "recommend\\w*|next steps?|next|suggest\\w*|propos\\w+|plan|plans|planned|to-?dos?|follow[- ]?ups?|future|"
    "later|ideas?|options?|"
    "build sequence|implementation map|implementation plan|roadmap|backlog|not done|not yet|not (?:created|"
    "written|produced|started)|could not|unable|failed|blocked|remaining|open|missing|skipped|"
    "could|should|would|optional|examples?|design|blueprint|outstanding|deferred|out of scope|fix|how to|usage|"
    "to be (?:created|written|added|done)|you can|if you|before you|"
    "empfehlung\\w*|nächste schritte|vorschl\\w+|offen|später|geplant|recommandations?|prochaines étapes|"
    "propositions?|à faire|"
    "recomendaci\\w+|próximos pasos|propuestas?|pendientes?|recomendaç\\w+|próximos passos|prossimi passi|"
    "raccomandazioni|"
    "рекомендации|предложения|следующие шаги|план",
    "推奨|提案|次のステップ|今後|建议|下一步|计划|待办",
)
PLAN_CELL = pattern(
    r"^\W*(?:create|modify|add|extend|update|change|delete|remove|new \(planned\)|planned|todo)\b", re.IGNORECASE
)
BASE_VERB = pattern(
    r"^\W*(?:then\s+)?(?:create|add|write|move|put|extend|introduce|implement|make|generate|run|use|read|open|"
    r"edit|update|change|"
    r"modify|delete|remove|rename|fix|try|set|copy|install|configure|consider|review|check|merge|split|place|"
    r"build|allow|give|"
    r"ensure|import|publish|upload|replace|refactor|document|test|apply|commit|push)\b",
    re.IGNORECASE,
)
LOOKED_AT = _any(
    "reviewed|analy[sz]ed|inspected|checked|read|examined|existing|already|source|input|reference|for "
    "reference|based on|"
    "described|seen|reported|found|mentioned|listed|from|like|following|unlike|according to|link|links|linked|"
    "points? to|pointer|"
    "import|imports|imported|mention|reference to|compared|versus|vs|pattern|geprüft|gelesen|bereits|déjà|ya"
)
MADE_HEAD = _any(
    "deliverables?|files? (?:created|written|added|changed|modified|touched|updated|generated)|created files?|"
    "new files?|"
    "(?:created|written|added|generated|produced|new|finished|delivered) (?:files?|pages?|documents?|"
    "artifacts?|modules?|tests?)|"
    "files_created|files_modified|files_changed|files_written|created_files|modified_files|changed_files|"
    "created|written|artifacts?|"
    "outputs?|ergebnis(?:se)?|dateien|erstellt|archivos(?: creados| modificados)?|fichiers(?: créés| "
    "modifiés)?|arquivos criados|file creati|"
    "entregables|livrables|ergebnisdateien|созданные файлы|wrote|added",
    "成果物|作成したファイル|变更文件|新建文件|创建的文件|交付物",
)
ALL_MADE = pattern(
    r"\b(?:all|both|each|every(?:thing)?|alle|beide|todos|tous)\b(?: \w+){0,4}? (?:is|are|was|were|has been|"
    r"have been|sind|están|sont) (?:\w+ )?(?:written|created|there|in place|done|delivered|ready|"
    r"finished|complete|completed|saved|erstellt|angelegt|fertig|créés|creados)\b"
    r"|\b(?:mission accomplished|delivered everything|successfully (?:delivered|created|wrote|implemented))\b",
    re.IGNORECASE,
)
FINISHED = pattern(r"\b(?:finished|in place|ready|done|complete|cleaned|fertig|listo|terminé)\b", re.IGNORECASE)
LABEL = pattern(
    r"(?:where|files?|outputs?|location|paths?|results?|report|saved|artifacts?|created|written|deliverables?|"
    r"changed|modified|"
    r"new|added|documentation|linked from|wo|datei(?:en)?|ort|ergebnis|fichiers?|archivos?|salida|文件|ファイル|出力)",
    re.IGNORECASE,
)
EMPTY_SAID = _any(
    "empty|placeholder|stub|blank|marker|leer|leere|vide|vac[ií][oa]|vazi[oa]|vuoto|touch(?:ed)?|zero[- ]byte|"
    "no content|lock",
    "空",
)
BROKEN_SAID = _any(
    "broken|invalid|malformed|does not parse|doesn't parse|not parse|syntax error|conflict markers?|"
    "unparsable|not valid|corrupt\\w*|"
    "template|python 2|trailing comma|still contains|unresolved|ungültig|kaputt|invalide|inválid[oa]"
)
REVERTED = _any(
    "revert\\w*|rolled back|restored?|undid|undone|undo|as before|backed out|discarded|zurückgesetzt|"
    "rückgängig|annulée?s?|"
    "revertid[oa]s?|deshecho|no (?:net )?changes?|nothing (?:was )?changed|already",
    "元に戻|还原|恢复",
)
FORMERLY = _any(
    "formerly|former|previous|previously|was|were|used to|old|before|at launch|ehemals|früher|war|ancien\\w*|"
    "antes|original\\w*"
)
NOTHING = pattern(
    r"^\W*(?:none|no files?|nothing|n/?a|keine?|aucun\w*|ningun\w*|なし|无)\b|^\W*$|^\W*(?:なし|无)\W*$", re.IGNORECASE
)
AGENTIVE = pattern(
    rf"(?<!\w)(?:I|I've|I'd|we|we've)(?!\w)|(?<!\w)(?:ich habe|habe ich|wir haben|j'ai|nous avons|he|hemos|eu|"
    rf"ho|abbiamo|ik heb|я)(?!\w)"
    rf"|^\W*(?:\w+:\s+)?(?:{MADE_WORDS}|{CHANGED_WORDS}|{REMOVED_WORDS})(?!\w)|{MADE_CJK}|{CHANGED_CJK}",
    re.IGNORECASE,
)
READING = pattern(
    r"^\W*(?:please )?(?:review|find|explain|list|check|audit|assess|summari[sz]e|trace|explore|investigate|"
    r"analy[sz]e|research|compare|look|show|tell|why|how|what|which|where|"
    r"is|are|does|do|can|who|read|describe|map|locate|search|count|measure|understand|study|inspect|evaluate|"
    r"identify|figure out|determine|verify|confirm|"
    r"prüfe|finde|erkläre|suche|untersuche|warum|wie|was|wo|analysiere|vérifier|expliquer|trouver|analyser|"
    r"pourquoi|comment|revisar|explicar|buscar|analizar|"
    r"por qué|cómo)(?!\w)|^\W*(?:检查|分析|解释|查找|調べ|確認)",
    re.IGNORECASE,
)
ATTRIBUTED = _any(
    "mentioned|mentions|quotes?|quoted|(?:the|this|your) (?:issue|task|ticket|order|log|trace|message|report)|"
    "according to|stack trace|outdated|"
    "no such line|has only|only \\d+ lines|wrong line|stale"
)
FIRST_PERSON = pattern(r"(?<!\w)(?:I|I've|I'd|we|we've|ich|j'ai|nous avons|he|hemos|eu|ho|ik)(?!\w)")
REPORTED = _any(
    "according to|says?|said|states?|stated|claims?|claimed|reports? that|reportedly|readme|helper|its author|"
    "laut|selon|según|segundo|"
    "on main|in ci|upstream|the ci|you said|user says|user said|they say|apparently|supposedly|documented|previously|"
    "before my|at the start|initially|at first"
)
