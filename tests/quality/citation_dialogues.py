"""Forty dialogues of our own: what a session was told, what was asked, what was then said and done, and what of the told that took up.

The second half was written before, and never looked at while, the rules of `app.deciders.recall.context.citation` were changed. Labels are a reader's: a
memory is cited when the answer, a tool or the next prompt would have been another one without it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialogue:
    name: str
    given: tuple[tuple[str, str], ...]  # (text, value of its slot)
    question: str
    said: str  # answers, commands, files, next prompts; a line each
    cited: frozenset[int]  # positions in `given`


def _d(name: str, given: list[tuple[str, str] | str], question: str, said: str, *cited: int) -> Dialogue:
    pairs = tuple((one, "") if isinstance(one, str) else one for one in given)
    return Dialogue(name, pairs, question, said, frozenset(cited))


WORKED_ON = (
    _d("value in a command", [("The package manager is pnpm", "pnpm"), "Commits are signed"],
       "install the charts library", "pnpm add charts\nIt is installed.", 0),
    _d("value in an answer", [("We use Vitest for unit tests", "Vitest"), ("Releases happen on Tuesdays", "Tuesdays")],
       "write tests for the cart", "I wrote three Vitest cases that cover an empty cart and rounding.", 0),
    _d("file of the memory edited", ["Feature flags are read in src/flags/reader.ts only", "The footer shows the build number"],
       "hide the beta banner", "Edit\nsrc/flags/reader.ts\nThe banner is behind a flag now.", 0),
    _d("own words, no name", ["Dates are shown in the reader's own time zone", "Avatars are cropped to a circle"],
       "show when the comment was written", "The comment now shows its date in the time zone of whoever reads it.", 0),
    _d("common words only", ["The service must return an error when the input is empty", "Use the small logo on mobile"],
       "rename the variable", "I renamed the variable in the file and the tests pass."),
    _d("nothing used", ["Passwords are hashed with Argon2", "The staging database is reset every night"],
       "centre the title", "The title is centred with a flex container."),
    _d("both used", [("The API listens on port 7070", "7070"), ("Secrets come from Vault", "Vault")],
       "write the compose file", "The compose file maps 7070 and starts the Vault agent beside the API.", 0, 1),
    _d("number by chance", ["Retries stop after 5 attempts", "The page size is 50 rows"],
       "why is the build slow", "The build spends 5 minutes in the type checker, mostly for generated files."),
    _d("number meant", ["Retries stop after 5 attempts", "Sessions last 30 days"],
       "make the upload sturdy", "The upload is tried again with a growing pause and gives up after 5 attempts.", 0),
    _d("symbol of the memory", ["Money is formatted by formatCents, never by hand", "Prices include taxes"],
       "show the total of the basket", "const label = formatCents(total)\nThe total is shown.", 0),
    _d("symbol in another spelling", ["Events are sent through `trackEvent`", "Colours live in theme tokens"],
       "count the clicks on buy", "await track_event('buy')\nClicks are counted.", 0),
    _d("the prompt repeats it", [("We deploy to Hetzner", "Hetzner"), "Logs are kept for two weeks"],
       "how do we deploy to Hetzner", "You deploy to Hetzner with a script."),
    _d("next prompt refers", [("The designer is called Ottoline", "Ottoline"), "Buttons have round corners"],
       "draw a new icon", "Here is an icon.\nsend it to Ottoline for review", 0),
    _d("not used although near", [("The database is MariaDB", "MariaDB"), ("The cache is Valkey", "Valkey")],
       "speed up the product list", "I added an index and the list is read from Valkey for a minute.", 1),
    _d("inflected words", ["Migrations never drop columns in the release that stops using them"],
       "remove the nickname field", "I stopped using the column and left dropping it to a migration of the next release.", 0),
    _d("preference followed by form", [("Prefer early returns to nested conditions", ""), "Use British spelling"],
       "clean up the parser", "I flattened the nested conditions with early returns.", 0),
    _d("generic tech word", ["The frontend tests run in a browser", "Components are written in TypeScript"],
       "fix the crash at start", "The crash came from a missing component in the list; the tests run again."),
    _d("path parts by chance", ["Invoices are rendered by src/billing/render.py"],
       "make the chart wider", "Edit\nsrc/charts/draw.py\nThe chart is wider."),
    _d("a decision and its old rival", [("We moved from Jenkins to Woodpecker", "Woodpecker"), "Images are built without cache"],
       "add a nightly run", "Edit\n.woodpecker/nightly.yml\nA nightly pipeline runs at two.", 0),
    _d("long answer full of words", ["Users can export their data as a file", "The search is case insensitive"],
       "explain the architecture",
       "The app has a server and a client. The server keeps data in tables. The client shows lists, and users can edit rows. "
       "There is a search page, a settings page and a page for files."),
)  # fmt: skip

HELD_OUT = (
    _d("value in a config", [("The runtime is Deno 2", "Deno 2"), "Errors are written in plain words"],
       "add a task to format", "Edit\ndeno.json\nThe task `fmt` is added; run `deno task fmt`.", 0),
    _d("command of the procedure", ["To publish run make ship after the tag is pushed", "Changelogs are written by hand"],
       "publish the new version", "git push --tags\nmake ship\nIt is out.", 0),
    _d("constraint obeyed in words", ["Never store the card number, keep the token of the provider", "The logo is blue"],
       "save the customer's card", "Only the provider's token is stored; the card number is never kept.", 0),
    _d("person named", [("Benedikta owns the search team", "Benedikta"), "Meetings are on Mondays"],
       "who should review this", "I would ask Benedikta to review it.", 0),
    _d("person not named", [("Benedikta owns the search team", "Benedikta"), ("Rasmus owns payments", "Rasmus")],
       "the search is slow", "The search read the whole table; it has an index now."),
    _d("port in a command", [("Mailpit listens on 8025", "8025"), ("The API listens on 3900", "3900")],
       "did the mail arrive", "curl http://localhost:8025/api/messages\nOne message arrived.", 0),
    _d("test runner flag", [("Tests run with pytest -q -n4", "pytest"), "Fixtures live in conftest.py"],
       "check that it works", "pytest -q -n4\nAll passed.", 0),
    _d("two share a name", ["Postgres holds the orders", "Postgres backups run at three", "Postgres is version 16",
                            "Postgres has one replica"],
       "connect the report", "The report reads from Postgres."),
    _d("one of many by its own words", ["Postgres holds the orders", "Postgres backups run at three in the morning",
                                        "Postgres is version 16"],
       "when may I restart", "Not around three in the morning, the backups run then.", 1),
    _d("style followed silently", ["Use two spaces for indentation", "Comments say why"],
       "add a loop", "for item in items:\n  print(item)"),
    _d("synonym only", ["Customers may cancel within a fortnight", "The shop ships to Norway"],
       "write the help page", "The page explains how to cancel an order and what is refunded."),
    _d("words by chance across sentences", ["The worker must release the lock before it sleeps"],
       "describe the release", "The release has a new settings page. A worker of the support team answers questions."),
    _d("file named bare", ["Routes are declared in server/routes_table.py", "Handlers are async"],
       "add a health check", "Read\nroutes_table.py\nAdded a route `/health`.", 0),
    _d("class in an error fix", ["StaleEditError means that somebody else saved first", "Drafts are saved every minute"],
       "saving fails at times", "except StaleEditError:\n    reload()\nIt reloads and asks again.", 0),
    _d("branch convention used", ["Branches are called like task/1234-words", "Squash before merging"],
       "start on ticket 881", "git switch -c task/881-date-filter", 0),
    _d("thanks only", [("We use Tailwind for styles", "Tailwind"), "Icons come from Lucide"],
       "make it purple", "Done, the button is purple now.\nthanks, that looks good"),
    _d("rejected then used", [("The linter is Biome", "Biome"), "Lines have at most 120 characters"],
       "why does CI fail", "npx biome check .\nOne import was not sorted.", 0),
    _d("threshold obeyed", ["Uploads above 25 MB are refused", "Thumbnails are 128 pixels wide"],
       "check the size of uploads", "if size > 25 * MB: refuse()\nFiles above 25 MB are refused with 413.", 0),
    _d("year by chance", ["The contract ends in 2027", "Holidays are entered in Personio"],
       "update the licence header", "The header says 2026-2027 now in every file."),
    _d("feature words by chance", ["The checkout page has a step for the address", "Guests can order without an account"],
       "improve the login page", "The login page has a new layout and a link to reset the password."),
)  # fmt: skip
