"""Which names are proposed to be one thing, and which never are."""

from app.deciders.graph.same_thing import Named, find_same
from app.values.graph import SameEvidence
from tests.table import table

WORDS = frozenset(
    [
        "rotate",
        "wrapper",
        "wrapped",
        "format",
        "markdown",
        "tracking",
        "amount",
        "recommendation",
        "screen",
        "names",
        "order",
        "drive",
        "driven",
        "circle",
        "resolved",
        "serialized",
    ]
)


def evidence(a: tuple[str, str], b: tuple[str, str]) -> SameEvidence | None:
    found = find_same([Named(1, *a, 3), Named(2, *b, 1)], WORDS.__contains__)
    return found[0].evidence if found else None


@table(
    ("a", "b", "wanted"),
    [
        (("FAB", "component"), ("floating action button", "component"), SameEvidence.INITIALS),
        (("TTS", "thing"), ("Text to Speech", "quoted"), SameEvidence.INITIALS),
        (("tool id", "thing"), ("tool_id", "symbol"), SameEvidence.SPELLING),
        (("UndoStack", "symbol"), ("undo-stack", "component"), SameEvidence.SPELLING),
        (("remove()", "symbol"), (".remove()", "symbol"), SameEvidence.SPELLING),
        (("format/2", "path"), ("format", "symbol"), SameEvidence.SPELLING),
        (("docs", "component"), ("docs/", "path"), SameEvidence.SPELLING),
        (("@main.py", "file"), ("main.py", "file"), SameEvidence.SPELLING),
        (("self._next()", "symbol"), ("_next", "symbol"), SameEvidence.SPELLING),
        (("CHANGELOG", "file"), ("CHANGELOG.md", "file"), SameEvidence.PATH),
        (("circule modes", "thing"), ("circle mode", "thing"), SameEvidence.SLIP),
        (("src\\plans\\a.md", "path"), ("src/plans/a.md", "file"), SameEvidence.SPELLING),
        (("price tiers", "thing"), ("price tier", "thing"), SameEvidence.PLURAL),
        (("layers.js", "file"), ("src/layers.js", "file"), SameEvidence.PATH),
        (("markdown fomat", "thing"), ("markdown format", "thing"), SameEvidence.SLIP),
        (("rotateWraper", "symbol"), ("rotateWrapper", "symbol"), SameEvidence.SLIP),
        (("ref:@src/a/b.py", "file"), ("@src/a/b.py", "file"), SameEvidence.SPELLING),
        (("../docs/src", "quoted"), ("docs/src", "path"), SameEvidence.SPELLING),
        (("docker compose", "command"), ("docker-compose", "technology"), SameEvidence.SPELLING),
        (("house rules", "thing"), (".github/house-rules.md", "file"), SameEvidence.PATH),
        (("order items", "thing"), ("order_item", "symbol"), SameEvidence.PLURAL),
        (("case/login.spec.js", "file"), ("tests/e2e/case/login.spec.js", "file"), SameEvidence.PATH),
        ((".github/workflows/a.yml", "file"), ("api/.github/workflows/a.yml", "file"), SameEvidence.PATH),
        (("PrefsStore", "symbol"), ("PrefsStore.kt", "file"), SameEvidence.PATH),
        (("drawStack", "symbol"), ("layers.drawStack", "symbol"), SameEvidence.PATH),
        (("rooms table", "component"), ("room table", "component"), SameEvidence.PLURAL),
        (("CartView", "symbol"), ("CartView.kt", "file"), SameEvidence.PATH),
        (("guest_tests jobs", "thing"), ("guest_test_jobs", "symbol"), SameEvidence.PLURAL),
        (("base_units_cost", "symbol"), ("base_unit_costs", "symbol"), SameEvidence.PLURAL),
        (("undo.stack", "symbol"), ("src/undo.stack.js", "file"), SameEvidence.PATH),
        (("CartRow", "symbol"), ("src/main/shop/CartRow.kt", "file"), SameEvidence.PATH),
        (("CartRow", "symbol"), ("lib/shop/cart_row.ex", "file"), SameEvidence.PATH),
        (("price_chart", "symbol"), ("/tmp/price_chart.png", "file"), SameEvidence.PATH),
        (("Cart Rows", "thing"), ("CartRow", "symbol"), SameEvidence.PLURAL),
        (("CartRow", "symbol"), ("cart row", "thing"), SameEvidence.SPELLING),
        (("draw-canvas", "thing"), ("draw canvas", "thing"), SameEvidence.SPELLING),
        (("Order", "thing"), ("lib/shop/sales/order.ex", "file"), SameEvidence.PATH),
        (("/src/shop/README.md", "file"), ("README.md", "file"), SameEvidence.PATH),
        (("daisyUI", "technology"), ("daisy UI", "component"), SameEvidence.SPELLING),
        (("resolvd names", "thing"), ("resolved names", "thing"), SameEvidence.SLIP),
    ],
)
def test_one_thing(a: tuple[str, str], b: tuple[str, str], wanted: SameEvidence) -> None:
    assert evidence(a, b) is wanted


@table(
    ("a", "b"),
    [
        (("rotateWrapped", "symbol"), ("rotateWrapper", "symbol")),  # two words, both of them words
        (("event drive", "thing"), ("event driven", "thing")),
        (("order form", "thing"), ("order list", "thing")),
        (("undo.js:76", "symbol"), ("undo.js", "file")),
        (("log.txt:1-20", "file"), ("log.txt:30-40", "file")),
        (("tests", "thing"), ("test/", "path")),
        (("drawing-modes-refactor", "thing"), ("drawing-mode-refactor", "thing")),
        (("order list done", "thing"), ("old", "thing")),  # initials are capitals
        (("handler", "thing"), ("handlers", "thing")),
        (("/status", "command"), ("--status", "command")),
        (("../docs/index.js", "path"), ("index.js", "file")),
        (("https://x.example/pull/12", "path"), ("https://x.example/pull/13", "path")),
        (("phase 1", "thing"), ("phase 2", "thing")),
        (("1.txt", "file"), ("3.txt", "file")),
        (("color.js", "file"), ("color.md", "file")),
        (("docs/a.md", "file"), ("notes/a.md", "file")),
        (("cli/config.toml", "file"), ("cli-config.toml", "file")),
        (("audio_path", "quoted"), ("audio_paths", "quoted")),
        (("_setup", "symbol"), ("setup", "symbol")),
        (("simulation_", "symbol"), ("simulations", "thing")),
        (("/status", "command"), ("status", "thing")),
        (("--provider", "command"), ("providers", "component")),
        ((".env", "file"), ("env", "thing")),
        (("id", "thing"), ("invoice data", "thing")),
        (("json.load", "symbol"), ("JSON", "technology")),
        (("qr code", "thing"), ("QRCode.QR", "symbol")),
        (("XML", "technology"), ("XML.xml", "file")),
        (("stt", "quoted"), ("@stt.py", "file")),
        (("agent tools", "thing"), ("src/routers/agent_tools.py", "file")),
        (("ORDER", "quoted"), ("order", "thing")),
        (("fomat", "thing"), ("formats", "thing")),
        (("order item", "thing"), ("order_items", "symbol")),  # one of them, and the table
        (("guest list", "thing"), ("guest_list.html", "file")),
        (("part refund", "thing"), ("PART_REFUND.md", "file")),
        (("draw-layers", "thing"), ("docs/draw-layers.md", "file")),
        (("name", "symbol"), ("guest.name", "symbol")),
        (("self.content", "symbol"), ("content", "quoted")),
        (("config.webServer", "symbol"), ("WebServer", "symbol")),
        (("Shop.Cart", "symbol"), ("Shop.Cart.fetch/2", "path")),
        (("ModelResult", "symbol"), ("model_result", "symbol")),
        (("Integration", "person"), ("integrations", "feature")),
        (("field name", "thing"), ("field_name", "symbol")),
        (("output", "quoted"), ("output/", "path")),  # of any program
        (("booking end", "thing"), ("bookings end", "thing")),  # a verb
        (("GET /carts", "quoted"), ("get_cart()", "symbol")),
        (("cart_options", "symbol"), ("cart_options.json", "file")),
        (("cart_view", "symbol"), ("cart_view.html", "file")),
        (("index.js", "file"), ("src/index.js", "file")),  # most folders have one
        (("config.json", "file"), ("shop/tests/config.json", "file")),
        (("../lib/draw.js", "file"), ("/lib/draw.js", "file")),
        (("zoom mode", "thing"), ("zoomMode", "symbol")),  # a variable, and what it tells
        (("zoom-mode", "thing"), ("zoomMode", "symbol")),
        (("ZoomMode", "symbol"), ("zoomMode", "symbol")),  # a class, and a variable of it
        (("cart totals", "thing"), ("Cart.Total", "symbol")),
        (("RotateWrappe", "symbol"), ("rotate-wrapper", "thing")),  # a slip is written as the other is
        (("output-dir", "thing"), ("output dir", "thing")),
        (("~/.tool/settings.json", "file"), (".tool/settings.json", "file")),  # of the home, and of the project
        (("/home/ida/.tool/settings.json", "file"), (".tool/settings.json", "file")),
        (("cart rows", "thing"), ("CartRow", "symbol")),
        (("cart_totals", "symbol"), ("cart_totals.py", "file")),
        (("Order", "symbol"), ("order", "thing")),
        (("@order", "symbol"), ("order", "thing")),
        (("format()", "symbol"), ("format", "thing")),
        (("Price Rounding", "thing"), ("price-rounding", "thing")),
        (("response model", "component"), ("response_model", "symbol")),
        (("chart.js", "file"), ("node_modules/chart/chart.js", "file")),
        (("PUT", "value"), ("presigned urls throughout", "thing")),
        (("SQL", "technology"), ("settings query list", "thing")),
        (("unresolved names", "thing"), ("resolved names", "thing")),
        (("serializer", "thing"), ("serialized", "thing")),
        (("compose-kit", "technology"), ("compose-kit.yml", "file")),
        (("Create Cart", "thing"), ("create_cart", "symbol")),
        (("create cart", "thing"), ("create_cart", "symbol")),  # what is done, and the function that does it
        (("booking ends", "thing"), ("bookings end", "thing")),
        (("/index.js", "file"), ("index.js", "file")),
        (("price-rules", "thing"), ("price_rules.py", "file")),
        (("CartView", "symbol"), ("cart_view.html", "file")),
        (("SVGIcon", "symbol"), ("svg_icon", "symbol")),
    ],
)
def test_two_things(a: tuple[str, str], b: tuple[str, str]) -> None:
    assert evidence(a, b) is None


def test_a_short_path_that_may_be_two_files_is_neither() -> None:
    names = [Named(1, "cart.js", "file"), Named(2, "src/cart.js", "file"), Named(3, "app/cart.js", "file")]
    assert find_same(names, WORDS.__contains__) == []
    assert len(find_same(names[:2], WORDS.__contains__)) == 1


def test_a_copy_that_was_built_is_not_meant() -> None:
    names = [Named(1, "cart.js", "file"), Named(2, "src/cart.js", "file"), Named(3, "dist/cart.js", "file")]
    assert [(one.keep_id, one.gone_id) for one in find_same(names, WORDS.__contains__)] == [(1, 2)]


def test_a_member_that_two_things_have_is_neither() -> None:
    names = [Named(n, name, "symbol") for n, name in enumerate(("drawLayer", "map.drawLayer", "shop.drawLayer"), 1)]
    assert find_same(names, WORDS.__contains__) == []
    assert len(find_same(names[:2], WORDS.__contains__)) == 1


def test_what_was_said_more_often_stays() -> None:
    (found,) = find_same([Named(1, "tool_id", "symbol", 2), Named(2, "tool id", "thing", 9)], WORDS.__contains__)
    assert (found.keep_id, found.gone_id) == (2, 1)
