"""Keys with a structure, made up at run time, in the surroundings in which people paste them: texts and their secrets.

`SHAPES` are the vendors' formats; `CARRIED` are secrets that only what stands around them gives away. No file holds one.
"""

import json
import random
from base64 import b64encode
from collections.abc import Callable, Iterator

from tests.app.privacy.secret_samples import ALNUM, B64, HEX, LOWER, SHAPES, UPPER, URLSAFE, chars

SURROUNDINGS = (
    "{}",
    "use {} for now",
    "Why does {} give a 401? It worked yesterday.",
    "I pasted {}, please look whether it is still valid.",
    "the key is `{}`",
    "'{}' is what the script prints",
    '{{"auth": {{"value": "{}"}}}}',
    'const client = new Client("{}");',
    "client = Client(key='{}', timeout=3)",
    "export SOME_VALUE={}\nmake deploy",
    "value: {}  # from the portal",
    "curl -H 'X-Auth: {}' https://api.shop.example/v1/orders",
    "https://api.shop.example/v1/orders?auth={}&page=2",
    "+    value = '{}'\n-    value = None",
    "2026-03-01T10:00:00Z WARN refused {} from 10.0.0.4",
    "| staging | {} | ok |",
    "deploy --auth {} --region eu",
    "(see {})",
    "first line\n\n{}\n\nlast line",
    "Der Schlüssel {} steht im Protokoll.",
    'echo "{}" | docker login --stdin',
    "<add value='{}' />",
    "auth={};region=eu",
    "new: {}, old one is gone",
)
LINES_ONLY = ("{}", "here it is:\n{}\nplease install it", "```\n{}\n```", "cat > id <<EOF\n{}\nEOF")

CARRIED: tuple[tuple[str, Callable[[random.Random], str]], ...] = (
    ("aws_secret_access_key = {}", lambda r: chars(r, ALNUM + "/+", 40)),
    ("AWS_SECRET_ACCESS_KEY={}", lambda r: chars(r, ALNUM + "/+", 40)),
    ('"SecretAccessKey": "{}",', lambda r: chars(r, ALNUM + "/+", 40)),
    ('export AWS_SESSION_TOKEN="{}"', lambda r: chars(r, ALNUM + "/+", 320)),
    ("AccountName=shop;AccountKey={};EndpointSuffix=core.windows.net", lambda r: chars(r, B64, 86) + "=="),
    ("Endpoint=sb://shop.example/;SharedAccessKeyName=root;SharedAccessKey={}", lambda r: chars(r, B64, 43) + "="),
    ("https://shop.blob.example/a.csv?sv=2022&sp=r&sig={}", lambda r: chars(r, ALNUM, 43) + "%3D"),
    ('{{"type": "service_account", "private_key_id": "{}"}}', lambda r: chars(r, HEX, 40)),
    ("TWILIO_AUTH_TOKEN={}", lambda r: chars(r, HEX, 32)),
    ("twilio.rest.Client(sid, auth_token='{}')", lambda r: chars(r, HEX, 32)),
    ("postgres://shop:{}@db.shop.example:5432/orders", lambda r: chars(r, ALNUM, 14)),
    ("DATABASE_URL=postgresql+psycopg://app:{}@localhost/app", lambda r: chars(r, ALNUM, 9)),
    ("mysql://root:{}@127.0.0.1:3306/shop?charset=utf8", lambda r: chars(r, LOWER, 8)),
    ("mongodb+srv://svc:{}@cluster0.shop.example/?retryWrites=true", lambda r: chars(r, ALNUM, 16)),
    ("redis://:{}@cache.shop.example:6379/0", lambda r: chars(r, ALNUM, 20)),
    ("amqps://worker:{}@mq.shop.example/vhost", lambda r: chars(r, ALNUM, 12)),
    ("https://bot:{}@git.shop.example/team/repo.git", lambda r: chars(r, ALNUM, 20)),
    ("jdbc:postgresql://db/shop?user=app&password={}", lambda r: chars(r, ALNUM, 12)),
    ("Server=db;Database=shop;User Id=sa;Password={};Encrypt=true", lambda r: chars(r, ALNUM, 11) + "!"),
    ("Authorization: Bearer {}", lambda r: chars(r, URLSAFE, 40)),
    ("curl -H 'Authorization: Bearer {}' https://shop.example", lambda r: chars(r, ALNUM, 32)),
    ("Authorization: Basic {}", lambda r: b64encode(b"bob:" + chars(r, ALNUM, 12).encode()).decode()),
    ("Authorization: Token {}", lambda r: chars(r, HEX, 40)),
    ("X-Api-Key: {}", lambda r: chars(r, ALNUM, 32)),
    ("PRIVATE-TOKEN: {}", lambda r: chars(r, URLSAFE, 20)),
    ("Cookie: sessionid={}; theme=dark", lambda r: chars(r, LOWER, 32)),
    ("curl -u deploy:{} https://shop.example/api", lambda r: chars(r, ALNUM, 10)),
    ("mysql -u root -p{} shop < dump.sql", lambda r: chars(r, ALNUM, 10)),
    ("sshpass -p {} ssh root@10.0.0.4", lambda r: chars(r, ALNUM, 10)),
    ("PGPASSWORD={} psql -h db shop", lambda r: chars(r, ALNUM, 10)),
    ("docker login -u bob -p {} registry.shop.example", lambda r: chars(r, ALNUM, 12)),
    ("SECRET_KEY='{}'", lambda r: chars(r, ALNUM + "!@#%^&*(-_=+)", 50)),
    ("DJANGO_SECRET_KEY={}", lambda r: chars(r, ALNUM + "-_", 50)),
    ("JWT_SECRET={}", lambda r: chars(r, HEX, 64)),
    ('API_KEY="{}"', lambda r: chars(r, ALNUM, 24)),
    ("STRIPE_WEBHOOK_SECRET: {}", lambda r: chars(r, ALNUM, 32)),
    ("spring.datasource.password={}", lambda r: chars(r, ALNUM, 12)),
    ("  password: {}", lambda r: chars(r, ALNUM, 12)),
    ('"clientSecret": "{}"', lambda r: chars(r, URLSAFE, 36)),
    ("client_secret={}&grant_type=client_credentials", lambda r: chars(r, ALNUM, 40)),
    ("oauth_token_secret={}", lambda r: chars(r, ALNUM, 45)),
    ("//registry.shop.example/:_authToken={}", lambda r: chars(r, URLSAFE, 40)),
    ("[pypi]\nusername = bob\npassword = {}", lambda r: chars(r, ALNUM, 16)),
    ("machine git.shop.example login bob password {}", lambda r: chars(r, ALNUM, 16)),
    ("kubectl create secret generic db --from-literal=password={}", lambda r: chars(r, ALNUM, 12)),
    ("ENCRYPTION_KEY={}", lambda r: chars(r, B64, 43) + "="),
    ("heroku config:set HEROKU_API_KEY={}", lambda r: "-".join(chars(r, HEX, n) for n in (8, 4, 4, 4, 12))),
    ("CLOUDFLARE_API_TOKEN={}", lambda r: chars(r, URLSAFE, 40)),
    ("DD_API_KEY={}", lambda r: chars(r, HEX, 32)),
    ('"algoliaAdminKey": "{}"', lambda r: chars(r, HEX, 32)),
    ("PrivateKey = {}", lambda r: chars(r, B64, 43) + "="),
    ("SNOWFLAKE_PASSWORD={}", lambda r: chars(r, ALNUM, 14)),
    ("sentry auth token: {}", lambda r: chars(r, HEX, 64)),
    ("api_key: {}", lambda r: chars(r, LOWER, 24)),
    ("license key: {}", lambda r: "-".join(chars(r, UPPER, 5) for _ in range(5))),
    ("$env:API_TOKEN = '{}'", lambda r: chars(r, ALNUM, 30)),
    ("setx OPENAI_API_KEY {}", lambda r: "sk" + "-" + chars(r, ALNUM, 48)),
    ("docker run -e DB_PASSWORD={} shop:latest", lambda r: chars(r, ALNUM, 12)),
    ("ARG NPM_TOKEN={}", lambda r: chars(r, HEX, 36)),
    ("wss://stream.shop.example/?token={}", lambda r: chars(r, ALNUM, 32)),
)


def make_structured(rng: random.Random, *, each: int) -> Iterator[tuple[str, str, str]]:
    """(what it is, the text, the secret in it): each vendor's format in so many surroundings, then the carried ones."""
    for name, shape in SHAPES.items():
        for _ in range(each):
            secret = shape(rng)
            around = rng.choice(LINES_ONLY if "\n" in secret else SURROUNDINGS)
            yield name, around.format(secret), secret
    for carrier, shape in CARRIED:
        secret = shape(rng)
        text = carrier.format(secret)
        yield carrier, text, secret
        yield f"{carrier}, in a message", f"It fails with this:\n\n    {text}\n\nWhat is wrong?", secret
        yield f"{carrier}, in JSON", json.dumps({"log": f"ran {text}", "code": 1}), secret
