"""Wide rules for secrets, where the engine's rule file is missing: better a word too many taken out than a secret kept.

Loaded by `remanence_spool.py` only then. Each is (keywords, pattern, group, mark). Source: QUALITY S6.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from app.hook.remanence_spool import Rule

WIDE_ASSIGNMENT = (
    rb"(?i)(?:pass\s?(?:phrase|code)?|passw\w*|pwd?|secret|token|key|credentials?|contrase\S+|kennwort"
    rb"|mot de passe|mdp|clave)[\w-]*[\"']?\s*(?:[:=]|\b(?:is|ist|lautet|est|es)\b)\s*[\"']?([^\s\"']{4,})"
)
BUILT_IN_RULES = (
    ((b"private key",), rb"-----BEGIN[A-Z ]* PRIVATE KEY[\s\S]*?(?:-----END[A-Z ]*-----|\Z)", 0, b"private key"),
    ((b"ghp_", b"gho_", b"ghs_", b"ghu_", b"github_pat_"), rb"(?:gh[a-z]|github_pat)_[A-Za-z0-9_]{20,}", 0, b"token"),
    ((b"akia", b"asia"), rb"\bA[KS]IA[A-Z0-9]{12,}", 0, b"token"),
    ((b"sk-", b"sk_", b"rk_", b"pk_"), rb"\b[spr]k[-_][A-Za-z0-9_-]{16,}", 0, b"token"),
    ((b"xox", b"glpat-", b"npm_", b"hf_", b"aiza"), rb"\b(?:xox|glpat-|npm_|hf_|AIza)[A-Za-z0-9_-]{12,}", 0, b"token"),
    ((b"eyj",), rb"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,}", 0, b"token"),
    ((b"bearer", b"basic"), rb"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{8,})", 1, b"token"),
    ((b"://",), rb"://[^\s:/@\"']*:([^\s/@\"']+)@", 1, b"password"),
    (
        (b"pass", b"pw", b"secret", b"token", b"key", b"credential", b"contrase", b"kennwort", b"mdp", b"clave"),
        WIDE_ASSIGNMENT,
        1,
        b"password",
    ),
)


def pack() -> "tuple[bytes, str, list[tuple[bytes, ...]], list[Rule]]":
    """The rules as `remanence_spool.py` reads them from the engine's file: patterns in bytes, tag, keywords, rules."""
    stored = b""
    rules: list[Rule] = []
    for at, (_, pattern, group, name) in enumerate(BUILT_IN_RULES):
        source = (len(stored), len(stored) + len(pattern), len(stored) + len(pattern))
        rules.append((at, source, group, b"[secret: %s]" % name, "", 0.0, True, None, b""))
        stored += pattern
    return stored + (len(stored) + 8).to_bytes(8, "little"), "", [rule[0] for rule in BUILT_IN_RULES], rules
