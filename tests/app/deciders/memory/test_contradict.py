"""What must be seen as a contradiction, and what must not: by the rules alone, as at capture and behind it."""

from app.contradictions.finding import judge_texts
from app.deciders.memory.contradictions.detection import find_contradiction, may_contradict
from app.deciders.memory.rules import load_memory_rules
from app.evaluation.tasks.duplicates import as_statement
from tests.table import table

SEEN = [
    ("Emails go through SendGrid.", "We send mail with SES."),
    ("PostgreSQL is the primary database.", "MySQL is the primary database."),
    ("We use PostgreSQL as primary database.", "The app stores its data in MySQL."),
    ("The session timeout is 30 minutes.", "Sessions expire after 2 hours."),
    ("Retries stop after 3 attempts.", "Retries stop after 5 attempts."),
    ("We target Node 18.", "Node 20 is the minimum."),
    ("Use tabs for indentation.", "Indent with two spaces."),
    ("Ask before every commit.", "Commit without asking."),
    ("I like long explanations.", "Keep explanations short."),
    ("CI runs on Jenkins.", "Decommission the Jenkins server."),
    ("Feature flags come from LaunchDarkly.", "Remove LaunchDarkly."),
    ("Should we store sessions in Redis or in the database?", "Sessions are stored in the database."),
    ("The API is versioned in the path.", "The API is versioned by header instead of the path."),
    ("Deploys happen on Friday.", "Never deploy on Friday."),
    ("The dashboard refreshes every minute.", "The dashboard refreshes every 10 seconds."),
    ("Anna owns the billing service.", "Ben owns the billing service."),
    ("Logs go to Loki.", "We moved from Loki to Elasticsearch for logs."),
    ("Tests need 80 % coverage.", "Coverage must be at least 90 %."),
    ("Dark mode is the default.", "Light mode is the default."),
    ("The parser needs Python 3.9 or later.", "Python 3.12 is the minimum for the parser."),
    ("The parcels leave from Bremen.", "The parcels leave from Rotterdam."),
    ("Amounts are kept as floats.", "Keep amounts as integer cents."),
    ("The build is started manually.", "Builds start automatically after a merge."),
    ("Use JSON Schema for the manifest.", "Drop JSON Schema in favour of our own checks."),
    ("Users may sign in with Facebook.", "Facebook login has been taken out."),
    ("Still unclear where the drafts are stored.", "Drafts are stored in a bucket."),
    ("Persist the tokens. This might cost some disk.", "Do not persist the tokens. We want a simple setup."),
    ("Write docstrings for all functions.", "I don't want docstrings for functions."),
    ("The night theme is on by default.", "The night theme is off by default."),
    ("The dump starts at 02:00.", "The dump starts at 3:30."),
    ("A login may last 30 minutes.", "No login may last longer than 10 minutes."),
    ("There is a weather box on the start page.", "The weather box was taken off the site."),
    ("Write comments in Dutch.", "Code comments are in English."),
    ("Turn strict mode on in the compiler.", "Strict mode stays off in the compiler."),
    ("Keep source maps enabled in production.", "Source maps are off in production."),
    ("Request tracing is switched off.", "Request tracing is active."),
    ("Sign the packages with a timestamp.", "Sign the packages without a timestamp."),
]
NOT_SEEN = [
    ("The access token lives for 15 minutes.", "The refresh token lives for 30 days."),
    ("The owner of payments is Anna.", "The owner of search is Ben."),
    ("Sessions expire after 2 hours.", "Sessions expire after 120 minutes."),
    ("We use PostgreSQL.", "We use PostgreSQL 16 with pgvector."),
    ("We use MySQL.", "We might switch to PostgreSQL one day."),
    ("Coverage is 61 %.", "Our goal is 85 % coverage."),
    ("In 2024 we deployed by hand.", "Deploys are automatic."),
    ("Ask before pushing.", "Never push without asking."),
    (
        "Let the API accept the serial of a sensor.",
        "Remove sensor_serial and model from the calibration API and always use the profile.",
    ),
    ("The night theme is on by default.", "Crash reports are off by default."),
    ("Request tracing is switched off.", "Request tracing is disabled."),
    ("The dump starts at 02:00.", "The report starts at 3:30."),
    ("The kiosk opens at 8:00.", "The kiosk closes at 18:30."),
    ("Parcels are counted by the Sunday crew.", "On Sundays a crew counts the parcels."),
    ("Drafts are kept for 30 days.", "Never keep drafts longer than 30 days."),
    ("The importer runs on Mondays.", "The importer takes load off the server."),
    ("Answer in short sentences.", "Answer in short sentences without emojis."),
    ("The build runs in CI.", "The build runs in CI without network."),
    (
        "A port that is in the table is in use, and the row is removed only when the job ends.",
        "The table of ports has no page of its own.",
    ),
    ("Use pytest for tests.", "Use Docker for tests."),
    ("The API listens on port 8000.", "The admin listens on port 9000."),
    ("Backend code is in Go.", "Frontend code is in TypeScript."),
    ("Use SQLite in tests.", "Use PostgreSQL in production."),
    ("Requests are logged.", "Request bodies are not logged."),
    ("The button is blue.", "The header is green."),
    ("Unit tests run with pytest.", "End-to-end tests run with Playwright."),
    ("Cache entries live 5 minutes.", "The cache holds 500 entries."),
    ("Use named exports.", "Do not use default exports."),
    ("The upload limit is 10 MB.", "The download limit is 50 MB."),
    ("Commit messages are in English.", "The UI is in German."),
    ("Run the linter before each commit.", "Run the tests before each push."),
    ("Keep functions under 40 lines.", "Keep files under 400 lines."),
    ("Version 1 kept its state in XML.", "Since version 2 the state is YAML."),
    ("The old printer had 2 trays.", "The new printer has 5 trays."),
    ("Yesterday the queue had 500 jobs.", "Now the queue has 20 jobs."),
    ("It runs on port 3000.", "It listens on 8080."),
    ("I use Neovim.", "My colleague works in VS Code."),
    ("The free plan allows 3 boards.", "The team plan allows 50 boards."),
    ("Invoices are sent as PDF.", "Reports are sent as CSV."),
    ("Uploads are limited to 1 GB.", "Uploads are limited to 1024 MB."),
    (
        "A woman paints a picture on a canvas while she sits on the lawn with little white flowers and a dog sleeps beside her.",
        "A woman paints a picture on a canvas while she sits on the lawn with little yellow flowers and a dog sleeps beside her.",
    ),
    ("The release is on Friday.", "If a bug is found, the release is on Monday."),
    ("The retries must stop after five attempts.", "Webhook retries stop after five attempts and then go to the log."),
]
KINDS = [
    ("The digest goes out every 2 hours.", "The digest goes out every 30 minutes.", "number"),
    ("We target Node 18.", "Node 20 is the minimum.", "version"),
    ("Mail of the shop goes through Falcon.", "Mail of the shop is sent with Kestrel.", "replaced"),
    ("CI runs on Jenkins.", "Decommission the Jenkins server.", "retirement"),
    ("Deploys happen on Friday.", "Never deploy on Friday.", "negation"),
    ("The cache is Redis.", "The cache is Memcached.", "value"),
    ("Dark mode is the default.", "Light mode is the default.", "opposite"),
    ("Should the cache live in Redis or in memory?", "The cache lives in memory.", "decided"),
]


def judged(older: str, newer: str) -> str:
    """The kind of the contradiction, "" for none."""
    rules = load_memory_rules()
    found = judge_texts(as_statement(older, rules), as_statement(newer, rules), rules)
    return "" if found is None else found.kind or found.relation


@table(("older", "newer"), SEEN)
def test_seen(older: str, newer: str) -> None:
    assert judged(older, newer)


@table(("older", "newer"), NOT_SEEN)
def test_not_seen(older: str, newer: str) -> None:
    assert not judged(older, newer)


@table(("older", "newer", "kind"), KINDS, ids=[kind for _, _, kind in KINDS])
def test_each_kind_by_its_name(older: str, newer: str, kind: str) -> None:
    assert judged(older, newer) == kind


@table("text", ["", " ", "?", "not", "1", "a" * 5_000, "\N{ZERO WIDTH SPACE}", "of of of of"])
def test_any_text_is_read(text: str) -> None:
    for older, newer in ((text, "Use tabs."), ("Use tabs.", text), (text, text)):
        assert judged(older, newer) in {"", "duplicate"}


def test_what_speaks_of_another_subject_may_not() -> None:
    rules = load_memory_rules()
    assert not may_contradict("The owner of payments is Anna.", "The owner of search is Ben.", rules)
    assert may_contradict("The owner of payments is Anna.", "The owner of payments is Ben.", rules)


def test_what_begins_with_another_thing_is_about_another() -> None:
    mail, invoices = "Mail of the shop go out through Falcon.", "Invoices of the shop go out through Kestrel."
    assert find_contradiction(mail, invoices, load_memory_rules()) is None
    same = find_contradiction(mail, mail.replace("Falcon", "Kestrel"), load_memory_rules())
    assert same is not None, "the control"


def test_a_number_under_the_same_denial_is_another_number() -> None:
    older, newer = "Sessions expire after 30 minutes without a click.", "Sessions expire after 2 hours without a click."
    found = find_contradiction(older, newer, load_memory_rules())
    assert found is not None
    assert found.kind == "number"
    assert find_contradiction(older, older.replace("30 minutes", "half an hour"), load_memory_rules()) is None


def test_what_goes_is_named_whole() -> None:
    found = find_contradiction(
        "Feature flags live in flags.toml.", "flags.toml was removed, flags come from a table.", load_memory_rules()
    )
    assert found is not None
    assert found.reason == "the newer one says that flags.toml is no longer used"


@table(
    ("older", "newer", "reason"),
    [
        ("Keep your answers short.", "Give me long answers.", "one says short, the other long"),
        ("Always answer in German.", "Always answer in English.", "one says German, the other English"),
        ("Write tests in Jest.", "We don't use Jest any more.", "the newer one says that Jest is no longer used"),
    ],
)
def test_a_reason_is_in_the_words_of_both(older: str, newer: str, reason: str) -> None:
    found = find_contradiction(older, newer, load_memory_rules())
    assert found is not None
    assert found.reason == reason


def test_what_goes_in_one_place_stays_in_another() -> None:
    rules = load_memory_rules()
    older = "Add a uuid to the agent table and let the api take the agent_uuid."
    assert find_contradiction(older, "Remove agent_uuid from the simulation run api.", rules) is None
    assert find_contradiction(older, "Remove agent_uuid from the api.", rules) is not None, "the control"


@table(
    ("older", "newer", "is_one"),
    [
        ("We target Node 18.", "The app runs on Node 20 now.", True),
        ("Stay on Python 3.9.", "The whole repo moves to Python 3.12.", True),
        ("The build needs Java 17", "Java 21 is required", True),
        ("Use Python 3.9 for the plugin.", "Use Python 3.12 for the server.", False),
        ("The app runs on Node 20.", "The worker runs on Node 18.", False),
        ("We support Python 3.9.", "We support Python 3.12.", False),
        ("Support for Node 18 is dropped", "We run on Node 20", False),
        ("We support Python 3.9 and up.", "Minimum Python is 3.11.", True),
    ],
)
def test_the_whole_runs_on_one_version(older: str, newer: str, is_one: bool) -> None:
    assert (find_contradiction(older, newer, load_memory_rules()) is not None) is is_one


def test_the_short_name_of_a_technology_is_no_other_name() -> None:
    older, newer = "The project is a Nuxt 2 project.", "The project runs with Node 22; with Node 23 it did not build."
    assert find_contradiction(older, newer, load_memory_rules()) is None
