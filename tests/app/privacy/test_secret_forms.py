"""Secrets in half-structure (names in other words, commands, tables, pairs, lists of codes) and what only looks so."""

from app.privacy.redaction import redact
from tests.shipped_rules import secret_rules
from tests.table import table

RULES = secret_rules()

WORDS = ("Heron" + ".Moss.Lane", "gUll" + "-harbour52", "Curlew" + "&Teasel9")
PASSWORD_FORMS = (
    "SMTP_PASS={}",
    "COOKIE_SALT_PEPPER={}",
    '#define BROKER_PASSWORD "{}"',
    'sketch has BROKER_PASS "{}"',
    '<add key="MailPassword" value="{}" />',
    "- name: MAIL_PASSWORD\n  value: {}",
    '{{"name": "MAIL_PASSWORD", "value": "{}"}}',
    "| host | password |\n|---|---|\n| nas | {} |",
    "| host | login | password | note |\n| nas | ann | {} | old |",
    "smbclient //srv/films -U ann%{}",
    "net use Q: \\\\srv\\films /user:ann {}",
    "cmdkey /add:srv /user:ann /pass:{}",
    "sqlcmd -S db1 -U sa -P {}",
    "lftp -u ann,{} sftp://srv",
    'chpasswd <<< "ann:{}"',
    "echo 'ann:{}' | sudo chpasswd",
    'echo "{}" | docker login -u ann --password-stdin',
    "wpa_passphrase Attic {}",
    'fetch(url, auth=("ann", "{}"))',
    "the password, as far as I know, is {}",
    "set another passphrase for ann, e.g. {}",
    "it wants the password, that's {}",
    "ww van de printer: {}",
    "log in as ann using {}",
    "at the login prompt enter ann and then {}",
    "the root account was created with {}",
    "credentials for the vpn are ann / {}",
    "ann:{} should work on the switch",
)
KEYS = ("k7-osier-41b", "tk_sbx-0073-alder")
KEY_FORMS = (
    "the merchant key → {}",
    "oops, the secret key {} went into the chat",
    "our signing secret is {}",
    "the proxy wants X-Partner-Key: {}",
    "der geheime Schlüssel der Kasse ist {}",
    "two api keys, the read one is r1-sedge-902 and the write one {}",
)
CODES = (
    ("sim pin 6204, puk {}", "53018846"),
    ("the bluetooth pairing code is {}", "480261"),
    ("code for the alarm in the cellar = {}", "7731"),
    ("backup codes: 5518-2093, {}", "7046-3391"),
    ("the tablet's pattern was replaced by a pin, {}", "591736"),
    ("the app-specific password for mail is {}", "tqwm-bdhc-xkrp-zsvn"),
    ("LICENSE={} ./configure", "FEN4-88QT-MM2W-7703"),
    ("the lora appkey is {}", "3C4D99" + "18BBE0D17AC2F604E85512AB70"),
)


@table("form", PASSWORD_FORMS)
@table("secret", WORDS)
def test_a_password_of_joined_words_is_taken_out(form: str, secret: str) -> None:
    assert secret not in redact(form.format(secret), RULES).text


@table("form", KEY_FORMS)
@table("secret", KEYS)
def test_a_key_in_lower_case_is_taken_out(form: str, secret: str) -> None:
    assert secret not in redact(form.format(secret), RULES).text


@table(("form", "secret"), CODES)
def test_a_code_is_taken_out(form: str, secret: str) -> None:
    assert secret not in redact(form.format(secret), RULES).text


def test_every_code_of_a_list_is_taken_out() -> None:
    codes = ("4417-0932", "8810-2276", "3091-5548")
    text = redact(f"recovery codes: {', '.join(codes)}", RULES).text
    assert not [code for code in codes if code in text]


TALK = """the password is checked in Login.Form.Validate before submit
password: Joi.string().min(8) is too weak
is the password Case-Sensitive or not
the signing key is rotated every 90 days by cron-job-2
license check is in license-check-v2-final.ts
LICENSE=Apache-2.0
LICENSE=BSD-3-Clause in the recipe
MASTER=spark://10.0.0.4:7077
MASTER=k8s-master-01.lan
| field | type | password |
| users.email | varchar2 |
the account page uses React18 everywhere
the admin was created with Django5, see the notes
the login form was set up with Formik2
the login route is auth/Callback.Handler
accounts are synced with ldap:Group.Mapping
login("google", "redirect")
auth=("user", "password")
when prompted type yes and press Enter
when it prompts type Ctrl+C
the pin is 4 digits, the puk 8 digits
pairing code expires after 300 seconds
unlock code validation fails with 1006
the code for the alarm is 230 lines long
sim pin is asked on boot, pin 12 is PWM
backup codes are 8 digits, regenerate 10 codes
error codes: 4011, 4012, 5003
#define KEY_ENTER "enter"
#define PASSWORD_FIELD "password"
<add key="PasswordMinLength" value="12" />
smbclient -L //nas -U guest%
net use Z: \\\\nas\\builds /user:buildsvc *
dotnet build /p:Configuration=Release
echo $TOKEN | docker login --password-stdin
product keys are: sku-100-a and sku-200-b
the webhook signature is in the X-Signature-Key header
docker/Compose.V2 works on mac
api/Users.List works on staging"""


@table("text", TALK.splitlines())
def test_talk_stays(text: str) -> None:
    assert redact(text, RULES).findings == ()
