"""Secrets told in sentences, however the sentence is built, in five languages; and talk about secrets, which stays."""

import random

from app.privacy.redaction import redact
from tests.app.privacy.secret_samples import ALNUM, chars
from tests.shipped_rules import secret_rules
from tests.table import table

RULES = secret_rules()

PASSWORDS = ("Meadow" + "4821!", "copper" + "$Anchor77", "Quarry" + "-saddle-1903", "T7q" + "Lw4nZx2k")
TOLD_PASSWORDS = (
    "the wifi password upstairs, if you need it: {}",
    "pw for jenkins changed again -> {}",
    "our shared db login is reporting with {} behind it",
    "u: deploy p: {}",
    "you can get in with bob and {}",
    "ssh in as pi with {}",
    "bob's account, {} is what he typed as password",
    "“{}” opens the keystore",
    "here is the root password:\n{}",
    "password below\n\n```\n{}\n```",
    "{} (that's the db password)",
    "{} <- admin password",
    "for staging use bob@example.org with {}",
    "the password [{}] does not work any more",
    "why is {} refused as a password",
    "change the smtp password from {} to something else",
    "the PSK of the guest network: {}",
    "SNMP community string is {}",
    "the client secret we got is {}",
    "db02:5432:*:app:{}",
    "mit {} kommst du ins Admin-Panel, das ist das Passwort",
    "ich hab das root-Passwort auf {} gesetzt",
    "le mot de passe wifi est {}",
    "j'ai changé le mot de passe en {}",
    "cambié la contraseña a {}",
    "pon {} como contraseña de la base",
    "het wachtwoord van de router is {}",
    "gebruik {} als wachtwoord",
    "inloggen met beheer en {} dan naar instellingen",
    "a senha do banco é {}",
    "type {} when it prompts",
    "when prompted enter {}",
    "the vault opens with {}",
    "sftp to bob:{}@10.0.0.7",
    "sqlplus scott/{}@db",
    "they all have {} as their password",
)
WORD = "thim" + "ble"
TOLD_WORDS = (
    "for the demo the password will stay {}",
    "our password used to be {}, now it is longer",
    "the secret word is {}",
    "Passwort bleibt {}",
    "le mot de passe reste {}",
    "la contraseña sigue siendo {}",
    "het wachtwoord blijft {}",
)
TOLD_TOKENS = (
    "revoke {} please, that token was in the log",
    "put {} in as the access token",
    "unseal key 2: {}",
    "the session cookie is {}",
    "session cookie from my browser: sid={}",
    'metadata: ("x-auth", "{}")',
    "the key you need for the maps thing is {}",
    "secret_key_base is {} on prod",
    "https://hooks.example.org/services/T02AB/B07CD/{}",
    "de api-sleutel van de leverancier is {}",
    "refresh token\n{}\n",
)
TOLD_OTHERS = (
    ("my pin is {}, then enter", "4471"),
    ("the passcode for the tablet in the lab is {}", "190377"),
    ("unlock code for the device is {}", "2297#51"),
    ("otp {}", "283 114"),
    ("the 2fa seed is {}", "JBSWY3DPEHPK3PXP"),
    ("ssh key passphrase? it's {}", "meadow lantern harbor 61"),
    ('gpg passphrase "{}"', "velvet quarry timber walnut"),
    ("wachtwoordzin: {}", "ember pebble mortar saddle"),
)


@table("told", TOLD_PASSWORDS)
@table("secret", PASSWORDS)
def test_a_password_is_taken_out_however_it_is_told(told: str, secret: str) -> None:
    assert secret not in redact(told.format(secret), RULES).text


@table("told", TOLD_WORDS)
def test_a_plain_word_is_taken_out_where_the_sentence_says_what_it_is(told: str) -> None:
    assert WORD not in redact(told.format(WORD), RULES).text


@table("told", TOLD_TOKENS)
def test_a_token_is_taken_out_however_it_is_told(told: str) -> None:
    rng = random.Random(told)
    for length in (20, 32):
        secret = "a7" + chars(rng, ALNUM, length) + "Q9z"
        assert secret not in redact(told.format(secret), RULES).text


@table(("told", "secret"), TOLD_OTHERS)
def test_a_code_or_phrase_is_taken_out(told: str, secret: str) -> None:
    assert secret not in redact(told.format(secret), RULES).text


def test_both_of_two_passwords_are_taken_out() -> None:
    first, second = "Meadow" + "41", "Harbor" + "58"
    text = redact(f"the old password ({first}) was rotated, new one is {second}", RULES).text
    assert first not in text
    assert second not in text


TALK = """the password field on Chapter3 of the wizard is not focused
login with Keycloak21 fails after the upgrade, ldap sync is fine
sign in with Auth0 and store the session in redis7
password hashing moved from bcrypt12 to argon2id in v2.3.1
the access token lives 15m, the refresh token 30d
rename password to passwordHash2 in UserEntity.java
the key for row 5F7Q2X is duplicated
the cache key is user:42:profile:v3
open Auth2Controller and look at the login method
vpn to Frankfurt2 drops every hour
password policy: at least 12 characters, one digit, one of !#$%
is P@ssw0rd in the list of common passwords we reject? e.g. in Top10k.txt
the root cause was commit 9f8e7d6c5b4a in auth
the token check broke in commit 8f3c1d2a9be47705c1de33f0a4b6e9917d20cc5e
the user with id 65f1c0ab9e4d2b0012ab34cd is broken
access token endpoint returns 400 invalid_grant
enter the verification code from the mail
the token count was 128000 before compaction
tokenizer cl100k_base has another pad token id
k8s secret my-app-tls-2024 is expired
creds are in 1Password, vault Team-Ops2
private key is in ~/.ssh/id_ed25519
the key is in keys.Production2, the enum
pin 1234 is the default in the docs, say so
pin numpy to 1.26.4 and pandas to 2.2.2
the network code is split in NetClient2 and NetServer
u: unsigned, p: pointer1, those are the prefixes
send the report to anna@example.org with Report2024 attached
the route admin/users2 returns 500
postgres:15.4-alpine is the image we use
ssh -p 2222 deploy@10.1.2.3 -i ~/.ssh/id_rsa2
press key F12 to open devtools, then Ctrl+Shift+P
unlock with FaceID, fallback is the passcode
das Login-Formular braucht ein Feld mehr (Captcha3)
el login falla con Chrome119
wachtwoord moet 10 tekens zijn
the password has been sent by mail
the password remains visible after blur
das Passwort bleibt sichtbar, wenn man das Feld verlässt
het wachtwoord blijft zichtbaar
encrypted with ChaCha20-Poly1305
opens with LibreOffice7
enter yes when prompted"""


@table("text", TALK.splitlines())
def test_talk_about_secrets_stays(text: str) -> None:
    assert redact(text, RULES).findings == ()


def test_lines_of_talk_stay_beside_each_other() -> None:
    """A word for a secret at a line's end says nothing of the next line's values."""
    assert redact(TALK, RULES).findings == ()
