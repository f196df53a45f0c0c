"""Secrets of well-known shapes in what agents write: masked before it is stored, exported or shown.

What is handed on as it is: the user's words to an agent, and the agents' own files.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

# What a text must hold before its pattern is compiled; the pattern's group, where it has one, is the secret.
_SHAPES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("AKIA", "ASIA"), "AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    (("secret_access_key", "SECRET_ACCESS_KEY", "SecretAccessKey"), "AWS secret",
     r"(?i:secret_?access_?key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), "GitHub token",
     r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})\b"),
    (("glpat-",), "GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,255}"),
    (("xox",), "Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{16,255}"),
    (("hooks.slack.com",), "Slack webhook",
     r"hooks\.slack\.com/services/(T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]{16,64})"),
    (("sk-ant-",), "Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,255}"),
    (("sk-",), "OpenAI key", r"\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,255}|[A-Za-z0-9]{48})(?![A-Za-z0-9_-])"),
    (("sk_live_", "rk_live_", "sk_test_", "rk_test_"), "Stripe key", r"\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,255}\b"),
    (("AIza",), "Google key", r"\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])"),
    (("GOCSPX-",), "Google secret", r"\bGOCSPX-[0-9A-Za-z_-]{20,64}"),
    (("npm_",), "npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    (("pypi-",), "PyPI token", r"\bpypi-AgE[A-Za-z0-9_-]{50,255}"),
    (("hf_",), "Hugging Face token", r"\bhf_[A-Za-z0-9]{34}\b"),
    (("SG.",), "SendGrid key", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    (("eyJ",), "JSON Web Token", r"\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,2000}"),
    (("PRIVATE KEY",), "private key",
     r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY-----[^-]{40,12000}(?:-----END [A-Z0-9 ]{0,26}PRIVATE KEY-----)?"),
    (("://",), "password", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{1,64}:([^\s/:@\"'<>]{3,128})@[\w.-]"),
    (("earer ",), "token", r"\b[Aa]uthorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?[Bb]earer ([A-Za-z0-9._~+/-]{20,4000}=*)"),
)  # fmt: skip


def masked(text: str) -> str:
    """The text with each secret replaced by what it is; as it is where the user has turned that off."""
    for signs, name, shape in _SHAPES:
        if any(sign in text for sign in signs):
            found = _pattern(shape)
            if found.search(text) and _is_wanted():
                text = found.sub(lambda each, name=name: _put(each, name), text)  # type: ignore[misc]
    return text


def _put(found: re.Match[str], name: str) -> str:
    start, end = found.span(found.lastindex or 0)
    start, end = start - found.start(), end - found.start()
    return f"{found[0][:start]}[masked: {name}]{found[0][end:]}"


@cache
def _pattern(shape: str) -> re.Pattern[str]:
    return re.compile(shape)


@lru_cache(maxsize=1)
def _is_wanted() -> bool:
    # Late: nearly no text holds one.
    from bg import settings  # noqa: PLC0415

    return settings.load("").mask_secrets
