"""Secrets of well-known shapes: masked in what is stored, exported and shown; nothing else is, and it can be turned off."""

from __future__ import annotations

import json
import random
import string
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bg import masking
from bg.desk import cli
from bg.ledger import place
from drive import Drive, block, context
from recordings import everything, recorded

ROOT = Path(__file__).resolve().parents[2]
LETTERS = string.ascii_letters + string.digits
_dice = random.Random(7)


def some(count: int, letters: str = LETTERS) -> str:
    return "".join(_dice.choice(letters) for _ in range(count))


UPPER = string.ascii_uppercase + string.digits
HEX = string.digits + "abcdef"
LOWER = string.ascii_lowercase + string.digits


def armour(kind: str, *head: str) -> str:
    """A key between its two lines, with what stands before the key itself."""
    lines = [f"-----BEGIN {kind}-----", *head, *(some(64) for _ in range(6)), f"-----END {kind}-----"]
    return "\n".join(lines)


SECRETS = {
    "AWS key": "AKIA" + some(16, UPPER),
    "AWS key, temporary": "ASIA" + some(16, UPPER),
    "AWS secret": "aws_secret_access_key = " + some(40),
    "AWS session token": "AWS_SESSION_TOKEN=IQo" + some(300),
    "AWS Bedrock key": "ABSK" + some(128),
    "Amazon MWS token": f"amzn.mws.{some(8, HEX)}-{some(4, HEX)}-{some(4, HEX)}-{some(4, HEX)}-{some(12, HEX)}",
    "GitHub token": "ghp_" + some(36),
    "GitHub token of an app": "ghs_" + some(36),
    "GitHub token, fine-grained": "github_pat_" + some(22) + "_" + some(59),
    "GitLab token": "glpat-" + some(20),
    "GitLab deploy token": "gldt-" + some(20),
    "GitLab runner token": "GR1348941" + some(20),
    "Slack token": "xoxb-" + some(12, string.digits) + "-" + some(24),
    "Slack token, rotated": "xoxe.xoxp-1-" + some(160),
    "Slack app token": f"xapp-1-{some(11, UPPER)}-{some(13, string.digits)}-{some(64, HEX)}",
    "Slack webhook": "https://hooks.slack.com/services/T" + some(8, UPPER) + "/B" + some(8, UPPER) + "/" + some(24),
    "Discord webhook": f"https://discord.com/api/webhooks/{some(18, string.digits)}/{some(68)}",
    "Teams webhook": f"https://x.webhook.office.com/webhookb2/{some(36)}@{some(36)}/IncomingWebhook/{some(32, HEX)}/{some(36)}",
    "Telegram token": f"{some(10, string.digits)}:AA{some(33)}",
    "Anthropic key": "sk-ant-api03-" + some(80),
    "OpenRouter key": "sk-or-v1-" + some(64, HEX),
    "OpenAI key": "sk-proj-" + some(60),
    "OpenAI key, old": "sk-" + some(48),
    "DeepSeek key": "sk-" + some(32, HEX),
    "Perplexity key": "pplx-" + some(48),
    "Groq key": "gsk_" + some(52),
    "xAI key": "xai-" + some(80),
    "Replicate token": "r8_" + some(37),
    "Hugging Face token": "hf_" + some(34),
    "LangSmith key": f"lsv2_pt_{some(32, HEX)}_{some(10, HEX)}",
    "Pinecone key": f"pcsk_{some(5)}_{some(63)}",
    "Stripe key": "sk_live_" + some(24),
    "webhook secret": "whsec_" + some(32),
    "Square token": "sq0atp-" + some(22),
    "Shopify token": "shpat_" + some(32, HEX),
    "Shippo token": "shippo_live_" + some(40, HEX),
    "Google key": "AIza" + some(35),
    "Google secret": "GOCSPX-" + some(28),
    "Google access token": "ya29." + some(120),
    "Google refresh token": "1//0" + some(90),
    "Azure storage key": "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + some(86) + "==;",
    "Azure secret": some(3) + "8Q~" + some(34),
    "Azure signature": "https://x.blob.core.windows.net/c?sv=2024-01-01&sig=" + some(43) + "%3D",
    "DigitalOcean token": "dop_v1_" + some(64, HEX),
    "Cloudflare key": f"v1.0-{some(24, HEX)}-{some(146, HEX)}",
    "Heroku key": "HRKU-AA" + some(58),
    "Netlify token": "nfp_" + some(36),
    "Fly.io token": "fm2_" + some(200),
    "Supabase key": "sbp_" + some(40, HEX),
    "PlanetScale key": "pscale_tkn_" + some(43),
    "Databricks token": "dapi" + some(32, HEX),
    "Vault token": "hvs." + some(90),
    "Terraform token": some(14) + ".atlasv1." + some(67),
    "Pulumi token": "pul-" + some(40, HEX),
    "Doppler token": "dp.pt." + some(43),
    "1Password token": "ops_eyJ" + some(400),
    "age key": "AGE-SECRET-KEY-1" + some(58, UPPER),
    "Tailscale key": f"tskey-auth-{some(17)}-{some(32)}",
    "npm token": "npm_" + some(36),
    "npm token, old": f"//registry.npmjs.org/:_authToken={some(8, HEX)}-{some(4, HEX)}-{some(4, HEX)}-{some(4, HEX)}-{some(12, HEX)}",
    "PyPI token": "pypi-AgE" + some(80),
    "RubyGems key": "rubygems_" + some(48, HEX),
    "crates.io token": "cio" + some(32),
    "NuGet key": "oy2" + some(43, LOWER),
    "Docker token": "dckr_pat_" + some(27),
    "Docker login": '{"auth": "' + some(30) + '1="}',
    "Artifactory key": "AKCp" + some(69),
    "SonarQube token": "squ_" + some(40, HEX),
    "Buildkite token": "bkua_" + some(40, HEX),
    "CircleCI token": f"CCIPAT_{some(22)}_{some(40, HEX)}",
    "Sourcegraph token": "sgp_" + some(40, HEX),
    "Postman key": f"PMAK-{some(24, HEX)}-{some(34, HEX)}",
    "SendGrid key": "SG." + some(22) + "." + some(43),
    "Brevo key": f"xkeysib-{some(64, HEX)}-{some(16)}",
    "Mailgun key": "key-" + some(32, HEX),
    "Mailchimp key": some(32, HEX) + "-us12",
    "Sentry token": "sntryu_" + some(64, HEX),
    "New Relic key": "NRAK-" + some(27, UPPER),
    "Grafana token": f"glsa_{some(32)}_{some(8, HEX)}",
    "Dynatrace token": f"dt0c01.{some(24, UPPER)}.{some(64, UPPER)}",
    "Linear key": "lin_api_" + some(40),
    "Notion token": "ntn_" + some(46),
    "Figma token": "figd_" + some(40),
    "Atlassian token": "ATATT3" + some(180),
    "Contentful token": "CFPAT-" + some(43),
    "JSON Web Token": "eyJ" + some(30) + ".eyJ" + some(60) + "." + some(43),
    "private key": armour(f"{'PRIVATE'} KEY"),
    "private key of OpenSSH": armour(f"OPENSSH {'PRIVATE'} KEY"),
    "private key, encrypted": armour(f"ENCRYPTED {'PRIVATE'} KEY"),
    "private key, encrypted, old": armour(
        f"RSA {'PRIVATE'} KEY", "Proc-Type: 4,ENCRYPTED", f"DEK-Info: AES-256-CBC,{some(32, UPPER)}", ""
    ),
    "private key of PGP": armour(f"PGP {'PRIVATE'} KEY BLOCK", "Version: GnuPG v2", "Comment: - none -", ""),
    "private key of PuTTY": f"Private-Lines: 2\n{some(64)}\n{some(30)}==\nPrivate-MAC: 1",
    "private key of Kubernetes": "client-key-data: " + some(200) + "==",
    "password": "postgres://admin:" + some(12) + "@db.example.org/x",
    "password without a user": "redis://:" + some(20) + "@db.example.org/0",
    "password in .netrc": "machine example.org login me password " + some(16),
    "bearer": "Authorization: Bearer " + some(40),
    "basic": "Authorization: Basic " + some(30) + "==",
    "header": "x-api-key: 7" + some(31),
}
# Their values look like any other number or word: what would mask them would mask hashes and prose as well. Each with
# the word by which SECURITY.md names it.
MISSES = {
    "a password that is only named": ("only named", "password = " + some(14)),
    "a password in prose": ("in prose", "the password is " + some(14)),
    "a password after curl -u": ("`curl -u`", "curl -u me:" + some(14) + " https://example.org"),
    "an AWS secret without its name": ("an AWS secret without its name", some(40)),
    "a Twilio key": ("Twilio", "SK" + some(32, HEX)),
    "a Twilio auth token": ("Twilio", some(32, HEX)),
    "an Airtable token": ("Airtable", f"pat{some(14)}.{some(64, HEX)}"),
    "a Datadog key": ("Datadog", "DD_API_KEY=" + some(32, HEX)),
    "a Cloudflare token": ("Cloudflare", "CF_API_TOKEN=" + some(40)),
    "a Discord bot token": ("Discord", f"M{some(23)}.{some(6)}.{some(38)}"),
    "a Heroku key, old": ("Heroku", f"{some(8, HEX)}-{some(4, HEX)}-{some(4, HEX)}-{some(4, HEX)}-{some(12, HEX)}"),
    "a key in hexadecimal": ("in hexadecimal", "0x" + some(64, HEX)),
    "a key in another encoding": ("encoded", b"AKIA".hex() + some(32, HEX)),
    "a key that is cut in two": ("cut in two", "ghp_" + some(18) + "\n" + some(18)),
}


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    masking._is_wanted.cache_clear()
    yield
    masking._is_wanted.cache_clear()


def secret_of(text: str) -> str:
    """The longest run of letters of it, which must not be left."""
    return max("".join(sign if sign in LETTERS else " " for sign in text).split(), key=len)


@pytest.mark.parametrize("name", SECRETS)
def test_each_shape_is_masked_once_and_for_all(name: str) -> None:
    text = f"I used {SECRETS[name]} for it."
    masked = masking.masked(text)
    assert secret_of(SECRETS[name]) not in masked
    assert "[masked: " in masked
    assert masked.startswith("I used ")
    assert masked.endswith(" for it.")
    assert masking.masked(masked) == masked
    assert json.loads(masking.masked(json.dumps({"text": text})))["text"].startswith("I used ")


def test_the_misses_are_known(tell: Any) -> None:
    """Each is a kind that SECURITY.md names, and none is masked: else it belongs above."""
    risks = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("**Some secrets are not masked.**")[2]
    assert [name for name, (word, _) in MISSES.items() if word not in risks.partition("\n")[0]] == []
    missed = [name for name, (_, text) in MISSES.items() if secret_of(text) in masking.masked(f"I used {text} for it.")]
    tell(f"{len(SECRETS)} shapes masked, {len(missed)} known kinds missed: {', '.join(missed)}")
    assert missed == list(MISSES)
    assert len(SECRETS) >= 45


def test_a_private_key_goes_whole() -> None:
    """Not only its longest line, also where a report holds it as JSON."""
    for name in (name for name in SECRETS if "private key" in name):
        lines = [line for line in SECRETS[name].splitlines() if len(line) > 28 and "-----" not in line]
        for text in (SECRETS[name], json.dumps(SECRETS[name])):
            assert [line for line in lines if line in masking.masked(text)] == [], name


@pytest.mark.parametrize("sign", sorted({sign for sign, _, _ in masking._OF_TOKENS + masking._OF_OTHERS}))
def test_a_shape_that_almost_matches_takes_time_in_proportion(sign: str) -> None:
    """Many beginnings without an end, and one with a very long middle."""

    def seconds(count: int) -> float:
        texts = [sign * count, f"{sign}{'a1' * count}", f" {sign}a" * count, f"{'a.' * count}{sign}{'x-' * count}"]
        begun = time.thread_time()
        for text in texts:
            masking.masked(text)
        return time.thread_time() - begun

    seconds(10)
    assert seconds(5_000) < 0.5


def test_no_token_is_too_short_to_be_looked_for() -> None:
    tokens = [name for _, name, _ in masking._OF_TOKENS]
    short = [name for name, text in SECRETS.items() if name in tokens and len(text.split()[-1]) < masking._SHORTEST]
    assert short == []
    assert masking.masked("It is AKIA" + some(16, UPPER)) == "It is [masked: AWS key]"


@pytest.mark.parametrize("before", range(-30, 31, 6))
def test_a_token_is_found_wherever_a_long_text_is_taken_in_pieces(before: int) -> None:
    text = "a " * ((masking._PIECE + before) // 2) + "It is AKIA" + some(16, UPPER)
    assert masking.masked(text).endswith("It is [masked: AWS key]")


def test_nothing_else_is_masked(tell: Any) -> None:
    """What the hosts gave their hooks, and this repository's own words."""
    payloads = [json.dumps(payload, ensure_ascii=False) for _, payload in everything()]
    texts = [
        path.read_text(encoding="utf-8")
        for kind in ("*.md", "*.py", "*.json")
        for path in (ROOT / "scripts" / "bg").rglob(kind)
    ]
    false = [text[:80] for text in payloads + texts if masking.masked(text) != text]
    tell(f"{len(payloads)} payloads and {len(texts)} files: {len(false)} false masks")
    assert false == []
    assert len(payloads) > 1000


def told(tmp_path: Path, capsys: Any) -> str:
    """Everything that is kept, exported and shown of an agent that writes secrets."""
    drive = Drive("2.1.327", tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit.", "a1")
    words = "\n".join(SECRETS.values())
    said = [drive.ends("a1", block("CLARIFICATION_NEEDED", token, reason=words)), drive.announced("a1")]
    said += [drive.prompt("/bg-answer bg-1 go")]
    said += [drive.ends("a1", block("COMPLETION_REPORT", token, summary=words)), drive.announced("a1")]
    said += [drive.prompt("/bg-status bg-1"), drive.stop(last_assistant_message="ok")]
    assert "bg-1" in context(said[1])
    for arguments in (["export"], ["status", "bg-1"], ["status", "--json"]):
        cli.main(arguments)
    kept = b"".join(path.read_bytes() for path in Path(place.directory()).glob("ledger.db*"))
    return json.dumps(said) + str(capsys.readouterr().out) + kept.decode("utf-8", "replace")


def test_no_secret_is_stored_exported_or_shown(tmp_path: Path, capsys: Any) -> None:
    found = told(tmp_path, capsys)
    assert [name for name, text in SECRETS.items() if secret_of(text) in found] == []
    assert "[masked: GitHub token]" in found
    assert (
        secret_of(SECRETS["npm token"])
        in next((Path(place.config_directory()) / "projects").rglob("agent-a1.jsonl")).read_text()
    ), "the agent's own file is its own"


def test_the_user_can_turn_it_off_and_a_project_cannot(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "bg.json").write_text('{"mask_secrets": false}')
    assert secret_of(SECRETS["npm token"]) not in told(tmp_path, capsys)
    users = Path(place.config_directory()) / "bg.json"
    users.parent.mkdir(parents=True, exist_ok=True)
    users.write_text('{"mask_secrets": false}')
    masking._is_wanted.cache_clear()
    assert masking.masked(SECRETS["npm token"]) == SECRETS["npm token"]


def test_what_the_user_says_reaches_the_agent_as_it_is(tmp_path: Path) -> None:
    drive = Drive("2.1.327", tmp_path)
    secret = SECRETS["GitHub token"]
    drive.prompt("/bg Audit")
    token = drive.launch(f"Use {secret}.", "a1")
    assert secret in drive.taken["prompt"]
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.announced("a1")
    drive.prompt(f"/bg-answer bg-1 Q1: {secret} Q2: no")
    wake = {**recorded("2.1.327", "question", "PreToolUse", "AskUserQuestion"), "tool_name": "SendMessage"}
    said = drive.send(wake, tool_use_id="w", tool_input={"to": "a1", "message": ""})
    assert f"A1: {secret}" in said["hookSpecificOutput"]["updatedInput"]["message"]
