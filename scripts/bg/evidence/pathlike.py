"""Whether a word is a path, by its ending and its form; hosts, products, routes and versions are none."""

from __future__ import annotations

import re

from bg.pattern import pattern

EXTENSIONS = (
    "adoc asm astro avif bash bat bib bicep bin bmp bzl c cc cert cfg cjs clj cmake cnf cob conf cpp crt cs "
    "csproj css csv cts cue "
    "cxx dart db dbml def diff dll docx dot drawio dtd ejs el elm env eps erb ex exs f90 feather fish fs gd "
    "geojson gif "
    "go gql gradle graphql groovy gz h haml hbs hcl hpp hs htm html ico ics iml inc ini ipynb j2 jade jar "
    "java jinja jinja2 jl "
    "jpeg jpg js json json5 jsonc jsonl jsx key kt kts less liquid lock log lua m4 man map markdown md mdx "
    "mjs mk ml mmd mo "
    "mp3 mp4 mts nim nix njk odt org otf output parquet patch pdf pem php pkl pl plist pm png po pptx prisma "
    "properties proto ps1 psd "
    "pug puml py pyi pyx qml r rb rego resx rmd rs rst sass scala scss sh sln snap sol sql sqlite sqlite3 srt "
    "steno styl sum svelte "
    "svg swift tab tar tex tf tfvars tgz thrift tiff toml tpl ts tsv tsx ttf txt typed vb vcxproj vim vtt vue "
    "wasm wat wav webm "
    "webmanifest webp wgsl woff woff2 xhtml xlsx xml xsd xsl yaml yml zig zip zsh"
)
KNOWN = set(EXTENSIONS.split())
DOUBTFUL = "bin c db def env f90 h key log m4 man map mo org output r sum tab typed inc in dot el ex fs"
LONE = KNOWN - set(DOUBTFUL.split())  # endings that make a path of a bare word
NAMES = {
    "Dockerfile", "Makefile", "LICENSE", "CODEOWNERS", "Procfile", "Jenkinsfile", "Gemfile", "Rakefile", "Vagrantfile",
    "Brewfile", "README", "CHANGELOG", "CONTRIBUTING", "Justfile", "justfile", "Containerfile", "BUILD.bazel",
    "WORKSPACE", "Caddyfile", "Pipfile",
}  # fmt: skip
PRODUCT = pattern(
    r"(?:node|vue|next|nuxt|express|d3|three|react|ember|backbone|alpine|chart|discord|moment|nest|p5|deno|"
    r"angular|angularjs|"
    r"socket|knockout|underscore|lodash|handlebars|mustache|require|electron|bun|solid|svelte|preact|web3|"
    r"ethers|phaser|babylon|"
    r"leaflet|video|plotly|tensorflow|brain|ml5|pixi|matter|cannon|highlight|prism|hls|date-fns|day|luxon|"
    r"fuse|asp|adonis|"
    r"strapi|keystone|total|sails|koa|hapi|meteor|redwood|blitz|wasp|apple|ruby|crystal)\.(?:js|io|ts|net|rs|go)",
    re.IGNORECASE,
)
HOST = pattern(
    r"(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|co|de|uk|app|internal|local|localhost|gov|edu|eu|cloud|sh|me|info|"
    r"example|test|rs|pkg\.github)(?::\d+)?/",
    re.IGNORECASE,
)
NO_PATH = pattern(r"[<>|\"'\n\0$;&=]|\*\*\*|\.\.\.|…|^-|^@|\(\)|^\W+$|://|^[A-Za-z]:[\\/]")
SYSTEM = pattern(r"/(?:etc|usr|var|opt|home|root|Users|private|mnt|srv|bin|sbin|lib|dev|proc|tmp|boot|sys)/[\w.-]")


def extension(path: str) -> str:
    """What stands behind the last dot of a name, in small letters."""
    name = re.split(r"[/\\]", path)[-1]
    stem, dot, extension = name.rpartition(".")
    return extension.lower() if dot and (stem or name.startswith(".")) else ""


def pathlike(path: str, *, marked: bool) -> bool:
    """Whether a word is a path; `marked` says that it stands in code or a link, where less doubt is due."""
    if not 2 <= len(path) <= 400 or NO_PATH.search(path) or HOST.match(path) or PRODUCT.fullmatch(path):
        return False
    name = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    slashed = "/" in path or "\\" in path
    if path.startswith("/") and (SYSTEM.match(path) or (path.count("/") == 1 and extension(path) not in KNOWN)):
        return bool(SYSTEM.match(path))  # else a route
    if name in NAMES or re.fullmatch(r"(?:Dockerfile|Makefile|Jenkinsfile)\.\w+", name):
        return name not in {"README", "CHANGELOG", "CONTRIBUTING", "LICENSE", "WORKSPACE"} or slashed or marked
    if re.fullmatch(r"\.(?:[a-z][\w-]*)(?:\.[\w-]+)*", name) and (slashed or marked or _dotted(name)):
        return True
    if re.search(r"[*?]|\{[^{}]*,", name) and slashed:
        return extension(name) in KNOWN or name in {"*", "**"} or "{" in name
    if slashed and path.endswith("/"):
        return bool(re.fullmatch(r"(?:~|\.{1,2})?/?(?:[\w.@ -]+/)+", path)) and not re.fullmatch(
            r"(?:and|or|und|he|s)/+", path
        )
    ending = extension(name)
    if slashed:
        return ending in KNOWN and not re.fullmatch(r"\d+(?:\.\d+)*", name)
    if not re.search(r"[A-Za-z\u00c0-\uffff_]", name.rpartition(".")[0]) and not marked:
        return False
    return ending in (KNOWN - {"env", "log", "map", "key", "org", "sum"} if marked else LONE) and not re.search(
        r"[(){}\[\]*]", name
    )


def _dotted(name: str) -> bool:
    return name.startswith(
        (
            ".env",
            ".git",
            ".docker",
            ".eslint",
            ".prettier",
            ".editor",
            ".npm",
            ".nvm",
            ".babel",
            ".pre-commit",
            ".flake8",
        )
    )
