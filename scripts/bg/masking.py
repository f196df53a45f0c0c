"""Secrets of well-known shapes in agents' texts, masked before a text is stored, exported or shown.

Not masked: the user's words to an agent, and the agents' own files.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

# Each row: the name of the token; how it begins; the pattern of the rest. The formats are published by the providers.
_TOKENS: tuple[tuple[str, str, str], ...] = (
    ("AWS key", "AKIA ASIA ABIA ACCA", r"[0-9A-Z]{16}\b"),
    ("AWS Bedrock key", "ABSK", r"[A-Za-z0-9+/]{100,300}={0,2}"),
    ("Amazon MWS token", "amzn.mws.", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36,255}\b"),
    ("GitHub token", "github_pat_", r"[A-Za-z0-9_]{50,255}\b"),
    ("GitLab token", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- GR1348941",
     r"[A-Za-z0-9_.-]{20,255}"),
    ("Slack token", "xox", r"[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{16,255}"),
    ("Slack app token", "xapp-", r"\d-[A-Z0-9]{6,20}-\d{6,20}-[a-z0-9]{32,128}"),
    ("Slack webhook", "hooks.slack.com/",
     r"(?:services|workflows|triggers)/([A-Z][A-Za-z0-9]{1,20}/[A-Za-z0-9]{1,20}/[A-Za-z0-9]{16,64})"),
    ("Discord webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"(\d{17,20}/[A-Za-z0-9_-]{60,80})"),
    ("Teams webhook", "webhook.office.com/webhookb2/", r"([A-Za-z0-9@-]{36,80}/IncomingWebhook/\S{32,120})"),
    ("Anthropic key", "sk-ant-", r"[A-Za-z0-9_-]{20,255}"),
    ("OpenRouter key", "sk-or-v1-", r"[0-9a-f]{64}\b"),
    ("OpenAI key", "sk-",
     r"(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,255}|[A-Za-z0-9]{48}|[0-9a-f]{32})(?![A-Za-z0-9_-])"),
    ("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,64}\b"),
    ("Groq key", "gsk_", r"[A-Za-z0-9]{48,64}\b"),
    ("xAI key", "xai-", r"[A-Za-z0-9]{70,100}\b"),
    ("Replicate token", "r8_", r"[A-Za-z0-9]{37}\b"),
    ("Hugging Face token", "hf_ api_org_", r"[A-Za-z0-9]{34}\b"),
    ("LangSmith key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}\b"),
    ("Pinecone key", "pcsk_", r"[A-Za-z0-9]{4,8}_[A-Za-z0-9]{60,70}\b"),
    ("Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[0-9A-Za-z]{16,255}\b"),
    ("webhook secret", "whsec_", r"[A-Za-z0-9+/]{32,80}={0,2}"),
    ("Square token", "sq0atp- sq0csp-", r"[A-Za-z0-9_-]{22,43}(?![A-Za-z0-9_-])"),
    ("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}\b"),
    ("Shippo token", "shippo_", r"(?:live|test)_[0-9a-f]{40}\b"),
    ("Google key", "AIza", r"[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])"),
    ("Google secret", "GOCSPX-", r"[0-9A-Za-z_-]{20,64}"),
    ("Google access token", "ya29.", r"[0-9A-Za-z_-]{30,1024}"),
    ("Google refresh token", "1//0", r"[0-9A-Za-z_-]{60,160}"),
    ("Azure key", "AccountKey= SharedAccessKey=", r"([A-Za-z0-9+/]{43,86}={1,2})"),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}\b"),
    ("Cloudflare key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{146}\b"),
    ("Heroku key", "HRKU-", r"[A-Za-z0-9_-]{36,80}"),
    ("Netlify token", "nfp_", r"[A-Za-z0-9]{36,64}\b"),
    ("Fly.io token", "fm1_ fm2_ fo1_", r"[A-Za-z0-9+/_-]{40,2000}={0,2}"),
    ("Supabase key", "sbp_", r"[0-9a-f]{40}\b"),
    ("Supabase key", "sb_secret_", r"[A-Za-z0-9_-]{22,64}"),
    ("PlanetScale key", "pscale_", r"(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,64}"),
    ("Databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?\b"),
    ("Vault token", "hvs. hvb. hvr.", r"[A-Za-z0-9_-]{24,300}"),
    ("Pulumi token", "pul-", r"[0-9a-f]{40}\b"),
    ("Doppler token", "dp.", r"(?:pt|st|sa|ct|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b"),
    ("1Password token", "ops_eyJ", r"[A-Za-z0-9+/_-]{200,4000}={0,3}"),
    ("age key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}\b"),
    ("Tailscale key", "tskey-", r"[a-z]{2,10}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20,48}\b"),
    ("npm token", "npm_", r"[A-Za-z0-9]{36}\b"),
    ("PyPI token", "pypi-AgE", r"[A-Za-z0-9_-]{50,255}"),
    ("RubyGems key", "rubygems_", r"[0-9a-f]{48}\b"),
    ("crates.io token", "cio", r"[A-Za-z0-9]{32}\b"),
    ("NuGet key", "oy2", r"[a-z0-9]{43}\b"),
    ("Docker token", "dckr_pat_ dckr_oat_", r"[A-Za-z0-9_-]{27,40}"),
    ("Artifactory key", "AKCp", r"[A-Za-z0-9]{69}\b"),
    ("SonarQube token", "squ_ sqp_ sqa_", r"[0-9a-f]{40}\b"),
    ("Buildkite token", "bkua_", r"[0-9a-f]{40}\b"),
    ("CircleCI token", "CCIPAT_", r"[A-Za-z0-9]{22}_[0-9a-f]{40}\b"),
    ("Sourcegraph token", "sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}\b"),
    ("Postman key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}\b"),
    ("SendGrid key", "SG.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    ("Brevo key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}\b"),
    ("Mailgun key", "key-", r"[0-9a-f]{32}\b"),
    ("Sentry token", "sntrys_eyJ", r"[A-Za-z0-9+/=_]{60,400}"),
    ("Sentry token", "sntryu_", r"[0-9a-f]{64}\b"),
    ("New Relic key", "NRAK-", r"[A-Z0-9]{27}\b"),
    ("Grafana token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b"),
    ("Grafana token", "glc_eyJ", r"[A-Za-z0-9+/]{32,400}={0,3}"),
    ("Dynatrace token", "dt0", r"[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b"),
    ("Linear key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{40,64}\b"),
    ("Notion token", "ntn_", r"[A-Za-z0-9]{43,50}\b"),
    ("Figma token", "figd_", r"[A-Za-z0-9_-]{40,48}"),
    ("Atlassian token", "ATATT3 ATCTT3", r"[A-Za-z0-9_=-]{100,300}"),
    ("Contentful token", "CFPAT-", r"[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    ("JSON Web Token", "eyJ", r"[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,2000}"),
)  # fmt: skip
_KEY = r"(?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?"
_LINE = r"(?:\r?\n|\\r\\n|\\n)[ \t>]{0,20}"  # also as JSON and quoted
# Secrets that do not begin with their sign. Each row: the name of the secret; the signs, one of which a text must hold
# before the pattern is compiled; the pattern, whose group, if it has one, is the secret. In a sign, `&` is a blank.
_OTHERS: tuple[tuple[str, str, str], ...] = (
    ("AWS secret", "secret_access_key SECRET_ACCESS_KEY SecretAccessKey secretAccessKey",
     r"(?i:secret_?access_?key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"),
    ("AWS session token", "session_token SESSION_TOKEN SessionToken sessionToken",
     r"(?i:session_?token)[\"']?\s{0,4}[=:]\s{0,4}[\"']?((?:IQo|Fwo|FQo)[A-Za-z0-9/+]{100,3000}={0,2})"),
    ("Telegram token", ":AA", r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    ("Azure secret", "8Q~", r"(?<![A-Za-z0-9~._-])[A-Za-z0-9~._-]{3}8Q~[A-Za-z0-9~._-]{31,34}(?![A-Za-z0-9~._-])"),
    ("Azure signature", "sig=", r"[?&]sig=([A-Za-z0-9%]{43,80})(?![A-Za-z0-9%])"),
    ("Terraform token", ".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}"),
    ("npm token", "_authToken=", r"_authToken=([0-9a-fA-F-]{36})\b"),
    ("Docker login", '"auth"', r'"auth"\s{0,2}:\s{0,2}"(?=[^"]{0,400}\d)([A-Za-z0-9+/]{20,400}={0,2})"'),
    ("Mailchimp key", "-us1 -us2", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    ("private key", "PRIVATE&KEY", rf"-----BEGIN {_KEY}-----(?:[^-]|-(?!----)){{40,32000}}(?:-----END {_KEY}-----)?"),
    ("private key", "Private-Lines:",
     rf"Private-Lines: \d{{1,3}}{_LINE}([A-Za-z0-9+/=]{{1,64}}(?:{_LINE}(?!Private-)[A-Za-z0-9+/=]{{1,64}}){{0,200}})"),
    ("private key", "client-key-data:", r"client-key-data:\s{0,4}[\"']?([A-Za-z0-9+/]{40,12000}={0,2})"),
    ("password", "://", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,64}:([^\s/:@\"'<>]{3,128})@[\w.-]"),
    ("password", "&login&", r"\bmachine \S{1,128} login \S{1,128} password ([^\s\[\"\\]{3,128})"),
    ("token", "earer&", r"\b[Aa]uthorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?[Bb]earer ([A-Za-z0-9._~+/-]{20,4000}=*)"),
    ("password", "Basic&", r"\b[Aa]uthorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?Basic ([A-Za-z0-9+/]{12,400}={0,2})"),
    ("key", "x-api-key X-API-Key X-Api-Key",
     r"\b(?i:x-api-key)[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?=[A-Za-z_-]{0,100}\d)([A-Za-z0-9_-]{20,200})(?![A-Za-z0-9_.(-])"),
)  # fmt: skip


_PIECE = 64 * 1024
_SHORTEST = 20  # no token is shorter or holds a blank: only words this long are searched for the signs of tokens
# One entry for each sign: Python is fastest at finding a short text, and at matching a pattern that begins with one.
_OF_TOKENS = [
    (sign, name, rf"{re.escape(sign)}(?<!\w{re.escape(sign)}){rest}")
    for name, signs, rest in _TOKENS
    for sign in signs.split()
]
_OF_OTHERS = [(sign.replace("&", " "), name, shape) for name, signs, shape in _OTHERS for sign in signs.split()]


def masked(text: str) -> str:
    """The text with each secret replaced by its name; unchanged if the user has turned masking off."""
    for searched, signs in ((_long_words(text), _OF_TOKENS), (text, _OF_OTHERS)):
        for sign, name, shape in signs:
            if sign in searched:
                found = _pattern(shape)
                if found.search(text) and _is_wanted():
                    text = found.sub(lambda each, name=name: _put(each, name), text)  # type: ignore[misc]
    return text


def _long_words(text: str) -> str:
    """The long words of a text, found piece by piece: a list of all its words would take many times its memory."""
    found: list[str] = []
    begin = 0
    while begin < len(text):
        end = text.find(" ", begin + _PIECE)
        end = len(text) if end < 0 else end
        found += [word for word in text[begin:end].split() if len(word) >= _SHORTEST]
        begin = end
    return " ".join(found)


def _put(found: re.Match[str], name: str) -> str:
    start, end = found.span(found.lastindex or 0)
    start, end = start - found.start(), end - found.start()
    return f"{found[0][:start]}[masked: {name}]{found[0][end:]}"


@cache
def _pattern(shape: str) -> re.Pattern[str]:
    return re.compile(shape)


@lru_cache(maxsize=1)
def _is_wanted() -> bool:
    # Late: hardly any text holds a secret.
    from bg import settings  # noqa: PLC0415

    return settings.load("").mask_secrets
