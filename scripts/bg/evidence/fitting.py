"""Checks one document against one JSON Schema, in a bounded process of its own, which `schemas` starts and feeds.

JSON comes in and goes out. Nothing is fetched or opened: a `$ref` that leads out of the schema ends the check. The
answer tells places, kinds of values and expectations; it has values and names out of the two texts only if `values`
says that their owner asks.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import re
import resource
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Callable

MEMORY = 512 * 1024 * 1024
DEEPEST = 200
DEEP = f"it is nested more than {DEEPEST} levels deep"
VALUES = 1_000_000  # a text of a megabyte holds half as many; more come from aliases
COUNTED, SHOWN = 1000, 40
LEADS_OUT = {"Unresolvable", "RefResolutionError", "_RefResolutionError"}
BLANK = re.compile(r"[ \t\r\n]*")
Path = Sequence[Any]
Reading = tuple[Any, Callable[[Path], int]]  # a value, and a function for the line of the part at a path, 0 if unknown


class NotCheckedError(Exception):
    """Why a document cannot be checked; `missing` for an absent package, `line` if a text does not parse."""

    def __init__(self, why: str, *, missing: bool = False, line: int = 0) -> None:
        super().__init__(why)
        self.missing, self.line = missing, line


def main() -> int:
    """Read the two texts from standard input, check them within bounds, and print the answer."""
    given = json.loads(sys.stdin.buffer.read())
    with contextlib.suppress(OSError, ValueError):  # on a system without these bounds the parent's time limit remains
        resource.setrlimit(resource.RLIMIT_CPU, (given["seconds"], given["seconds"] + 1))  # the hard one kills silently
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.path += [each for each in given["path"] if each not in sys.path]
    print(json.dumps(answer(given)))  # noqa: T201 - its output is its purpose
    return 0


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """The problems of a document, or why it cannot be checked."""
    told = {"why": "", "missing": False, "line": 0, "problems": [], "total": 0}
    schemas_fault = False
    try:
        if not given["schema"]:
            return {**told, "line": parsed(given["document"], yaml=given["document_yaml"])}
        document, line_of = read(given["document"], yaml=given["document_yaml"], values=given["values"])
        schemas_fault = True
        schema, _ = read(given["schema"], yaml=given["schema_yaml"], values=given["values"])
        words = Words(schema, values=given["values"])
        found = problems(schema, document, words)
    except NotCheckedError as error:
        if schemas_fault and not error.missing:
            return {**told, "why": f"the schema cannot be used: {error}"}
        return {**told, "why": str(error), "missing": error.missing, "line": error.line}
    except (RecursionError, MemoryError) as error:
        return {**told, "why": DEEP if isinstance(error, RecursionError) else "it needs too much memory"}
    listed = [{"line": line_of(path), "path": words.path(path), "text": text} for path, text in found[: given["most"]]]
    return {**told, "problems": listed, "total": len(found)}


def parsed(text: str, *, yaml: bool) -> int:
    """The line on which a text does not parse, 0 for none; no tag is resolved, and no alias is followed."""
    try:
        if not yaml:
            json.loads(text)
            return 0
        parser: Any = importlib.import_module("yaml")
        for _event in parser.parse(text, Loader=getattr(parser, "CSafeLoader", parser.SafeLoader)):
            pass
    except ImportError:
        return 0
    except Exception as error:
        if isinstance(error, (RecursionError, MemoryError)):
            raise
        mark = getattr(error, "problem_mark", None)
        return int(mark.line + 1 if mark else getattr(error, "lineno", 0))
    return 0


def read(text: str, *, yaml: bool, values: bool) -> Reading:
    """The value of a JSON or YAML text, and the lines of its parts."""
    try:
        reading = _yaml(text, values=values) if yaml else (json.loads(text), lambda path: _json_line(text, path))
    except ValueError as error:
        why = f": {getattr(error, 'msg', '') or str(error)[:SHOWN]}" if values else ""
        raise NotCheckedError(
            f"it is not valid {'YAML' if yaml else 'JSON'}{why}", line=getattr(error, "lineno", 0)
        ) from error
    level = [reading[0]]
    for _ in range(DEEPEST):
        level = _inner(level)
        if not level:
            return reading
    raise NotCheckedError(DEEP)


def _inner(level: list[Any]) -> list[Any]:
    """The values within lists and objects."""
    parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list))]
    return [each for part in parts for each in part]


def _json_line(text: str, path: Path) -> int:
    """The line of a part of a JSON text, found by stepping over the parts before it."""
    decode, at = json.JSONDecoder().raw_decode, _past(text, 0)
    try:
        for part in path:
            at = _past(text, at + 1)
            for place in itertools.count():
                name: Any = place
                if isinstance(part, str):
                    name, at = decode(text, at)
                    at = _past(text, _past(text, at) + 1)
                if name == part:
                    break
                at = _past(text, _past(text, decode(text, at)[1]) + 1)
    except (ValueError, IndexError):
        return 0
    return text.count("\n", 0, at) + 1


def _past(text: str, at: int) -> int:
    """The position after the blanks that begin here, if any do."""
    return found.end() if (found := BLANK.match(text, at)) else at


def _yaml(text: str, *, values: bool) -> Reading:
    """A YAML text by its nodes, which know their lines; dates stay text and keys become text, as JSON requires."""
    try:
        import yaml  # noqa: PLC0415 - it may be missing
    except ImportError as error:
        raise NotCheckedError("PyYAML is missing", missing=True) from error

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML wants it so
            first: [each for each in known if not each[0].endswith(":timestamp")]
            for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    loader = Loader(text)
    try:
        node = loader.get_single_node()
        _expanded(node, {})
        value = _plain(loader.construct_document(node)) if node is not None else None
    except yaml.YAMLError as error:
        mark, what = getattr(error, "problem_mark", None), getattr(error, "problem", None) or "a character"
        line = mark.line if mark else text.count("\n", 0, getattr(error, "position", 0))
        why = f": {str(what)[:80]}" if values else ""
        raise NotCheckedError(f"it is not valid YAML{why}", line=line + 1) from error
    return value, lambda path: _yaml_line(node, path)


def _expanded(node: Any, sizes: dict[int, int]) -> int:
    """The number of values in a node once each of its aliases is written out."""
    if node is None:
        return 0
    known = sizes.get(id(node))
    if known == 0:
        raise NotCheckedError("it contains itself")
    if known is None:
        sizes[id(node)] = 0
        inner = node.value if isinstance(node.value, list) else []
        parts = [part for each in inner for part in (each if isinstance(each, tuple) else (each,))]
        known = 1 + sum(_expanded(part, sizes) for part in parts)
        sizes[id(node)] = known
    if known > VALUES:
        raise NotCheckedError(f"its aliases stand for more than {VALUES} values")
    return known


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else json.dumps(key, default=str): _plain(each) for key, each in value.items()
        }
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _yaml_line(node: Any, path: Path) -> int:
    for part in path:
        inner = node.value[part : part + 1] if isinstance(part, int) else [v for k, v in node.value if k.value == part]
        if not inner:
            return 0
        node = inner[-1]
    return int(node.start_mark.line) + 1 if node else 0


def problems(schema: Any, document: Any, words: Words) -> list[tuple[Path, str]]:
    """The places at which a document does not fit, each with its fault, in the order of the document."""
    try:
        import jsonschema  # noqa: PLC0415 - it may be missing
    except ImportError as error:
        raise NotCheckedError("jsonschema is missing", missing=True) from error
    if not isinstance(schema, (dict, bool)):
        raise NotCheckedError("it is neither an object nor true or false")
    kind: Any = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
        errors = list(itertools.islice(_closed(jsonschema, kind, schema).iter_errors(document), COUNTED))
    except jsonschema.SchemaError as error:
        its = Words(kind.META_SCHEMA, values=words.values)
        raise NotCheckedError(f"{its.path(error.absolute_path) or 'its root'}: {its.said(error)}") from error
    except (RecursionError, MemoryError):
        raise
    except Exception as error:
        raise NotCheckedError(_unusable(error, values=words.values)) from error
    once = dict.fromkeys((tuple(error.absolute_path), words.said(error)) for error in errors)
    return sorted(once, key=lambda each: [(isinstance(part, str), part) for part in each[0]])


def _unusable(error: Exception, *, values: bool) -> str:
    """Why a schema cannot be used."""
    reference = str(getattr(error, "ref", "") or error)[:80]
    if LEADS_OUT & {each.__name__ for each in type(error).__mro__}:
        return f"it refers to {reference if values else 'something'}, which is not within it"
    return f"{type(error).__name__}{f': {reference}' if values else ''}"


def _closed(jsonschema: Any, kind: Any, schema: Any) -> Any:
    """A validator that knows this schema and the schemas of JSON Schema itself, and fetches no other."""
    try:
        return kind(schema, registry=importlib.import_module("jsonschema_specifications").REGISTRY)  # from 4.18 on
    except (ImportError, TypeError):
        pass

    class Closed(jsonschema.RefResolver):  # type: ignore[misc]
        def resolve_remote(self, uri: str) -> Any:
            raise jsonschema.RefResolutionError(uri)

    return kind(schema, resolver=Closed.from_schema(schema, id_of=kind.ID_OF))


class Words:
    """The words about a document: with its values, or only with the names that its schema has too."""

    def __init__(self, schema: Any, *, values: bool) -> None:
        self.values = values
        self._names = set() if values else set(_names_in(schema))

    def said(self, error: Any) -> str:
        """An error in a few words."""
        given, keyword, wanted = error.instance, error.validator, error.validator_value
        if keyword == "required" and isinstance(wanted, list):
            missing = [shown(name) for name in wanted if name not in given]
            return f"{', '.join(missing[:5])} {'is' if len(missing) == 1 else 'are'} missing"
        if keyword == "additionalProperties" and wanted is False:
            return self._too_many(given, error.schema)
        return f"found {shown(given) if self.values else _kind_of(given)}, expected {self._expected(error)}"

    def _too_many(self, given: Any, schema: Any) -> str:
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        extra = [shown(name) for name in given if name not in known and not any(re.search(p, name) for p in patterns)]
        verb = "is" if len(extra) == 1 else "are"
        if self.values:
            return f"{', '.join(extra[:5])} {verb} not allowed"
        return f"{len(extra)} name{'' if len(extra) == 1 else 's'} {verb} not allowed"

    def _expected(self, error: Any) -> str:
        keyword, wanted = error.validator, error.validator_value
        if keyword is None:  # the schema `false`
            return "nothing"
        if keyword == "type":
            return " or ".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)
        if keyword in {"anyOf", "oneOf"}:
            return f"one of {len(wanted)} forms" if error.context else "only one of the forms"
        if keyword in {"enum", "const"}:
            return self._options(wanted if keyword == "enum" else [wanted])
        tells = not isinstance(wanted, (dict, list)) and (self.values or not isinstance(wanted, str))
        return f"{keyword} {shown(wanted)}" if tells else str(keyword)

    def _options(self, options: list[Any]) -> str:
        if not self.values:
            return f"one of the {len(options)} values in the schema" if len(options) > 1 else "the value in the schema"
        listed = ", ".join(map(shown, options[:6])) + (", …" if len(options) > 6 else "")
        return f"one of {listed}" if len(options) > 1 else listed

    def path(self, path: Path) -> str:
        """A path, written like `findings[2].severity`; without `values`, a name that only the document has is `[…]`."""
        text = ""
        for part in path:
            if isinstance(part, str) and not self.values and part not in self._names:
                text += "[…]"
                continue
            plain = isinstance(part, str) and re.fullmatch(r"[\w$-]{1,40}", part)
            text += f".{part}" if plain else f"[{part if isinstance(part, int) else shown(part)}]"
        return text.removeprefix(".")


def _names_in(schema: Any) -> Iterator[str]:
    level = [schema]
    while level:
        yield from (name for each in level if isinstance(each, dict) for name in each if isinstance(name, str))
        level = _inner(level)


def _kind_of(value: Any) -> str:
    """The kind of a value, without the value itself."""
    for kind, words in ((bool, "a boolean"), ((int, float), "a number"), (str, "a text"), (list, "a list")):
        if isinstance(value, kind):
            return words
    return "null" if value is None else "an object"


def shown(value: Any) -> str:
    """A value in few characters; the contents of a list or an object are left out."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else f"a list of {len(value)}"
    text = json.dumps(value[:SHOWN] if isinstance(value, str) else value, ensure_ascii=False, default=str)
    return text if len(text) < SHOWN else text[: SHOWN - 1] + "…"


if __name__ == "__main__":
    raise SystemExit(main())
