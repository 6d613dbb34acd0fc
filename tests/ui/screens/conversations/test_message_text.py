"""How a message is cut and marked before it is drawn: offsets, placeholders, slices, hits."""

import pytest

from app.values import EntityKind, ReferenceState
from tests.ui.made import entity, message, reference
from ui.screens.conversations.message_text import (
    BADGE,
    SLICE_CHARS,
    SLICE_LINES,
    SpanKind,
    drawn_text,
    find_all,
    references_in_order,
    shown,
    slice_end,
)


def _said(text: str, spans: tuple[object, ...], kind: SpanKind) -> list[str]:
    raw = text.encode("utf-16-le")
    return [
        raw[2 * span.start : 2 * (span.start + span.length)].decode("utf-16-le")  # type: ignore[attr-defined]
        for span in spans
        if span.kind is kind  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        pytest.param("Make it purple", "it", id="plain"),
        pytest.param("🎨🎨 make it purple", "it", id="wide-characters-before"),
        pytest.param("Größe ändern, dann it", "it", id="accents"),
        pytest.param("one\ntwo\nit", "it", id="lines"),
        pytest.param("\x07bell it", "it", id="control-character"),
    ],
)
def test_the_underline_lies_under_the_mention(text: str, mention: str) -> None:
    made = message(1, text, references=((7, reference(text, mention, "FAB button")),))
    drawn = drawn_text(made, 0, len(text))
    assert _said(drawn.text, drawn.spans, SpanKind.RESOLVED) == [mention]


def test_an_unclear_reference_gets_room_for_its_mark_and_nothing_shifts() -> None:
    text = "Change its color and move it"
    made = message(
        1,
        text,
        references=(
            (1, reference(text, "its", "header", ReferenceState.AMBIGUOUS)),
            (2, reference(text, "it", "FAB", start=26, end=28)),
        ),
    )
    drawn = drawn_text(made, 0, len(text))
    assert drawn.text == f"Change its{BADGE} color and move it"
    assert _said(drawn.text, drawn.spans, SpanKind.AMBIGUOUS) == ["its"]
    assert _said(drawn.text, drawn.spans, SpanKind.RESOLVED) == ["it"]
    assert _said(drawn.text, drawn.spans, SpanKind.BADGE) == [BADGE]


def test_a_left_out_object_is_drawn_but_never_part_of_the_text() -> None:
    text = "Change the color"
    made = message(1, text, references=((3, reference(text, "", "FAB button")),))
    drawn = drawn_text(made, 0, len(text))
    assert drawn.text == "Change the color ‹FAB button›"
    assert _said(drawn.text, drawn.spans, SpanKind.RESOLVED) == [" ‹FAB button›"]
    assert made.text == text


def test_dismissed_references_leave_no_trace_and_no_stop_for_the_keyboard() -> None:
    text = "Make it so"
    made = message(1, text, references=((3, reference(text, "it", None, ReferenceState.DISMISSED)),))
    assert drawn_text(made, 0, len(text)).spans == ()
    assert references_in_order(made) == ()


def test_an_entity_under_a_reference_is_not_marked_twice() -> None:
    text = "Paint the button and the header"
    made = message(
        1,
        text,
        entities=(entity(text, "button", EntityKind.COMPONENT), entity(text, "header", EntityKind.COMPONENT)),
        references=((1, reference(text, "the button", "FAB button")),),
    )
    drawn = drawn_text(made, 0, len(text))
    assert _said(drawn.text, drawn.spans, SpanKind.ENTITY) == ["header"]


def test_hits_are_marked_only_in_the_slice_that_has_them() -> None:
    text = "test one\ntest two"
    made = message(1, text)
    hits = find_all(text, "TEST")
    first, second = drawn_text(made, 0, 9, hits), drawn_text(made, 9, len(text), hits)
    assert _said(first.text, first.spans, SpanKind.FOUND) == ["test"]
    assert _said(second.text, second.spans, SpanKind.FOUND) == ["test"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 20_000, id="no-break-at-all"),
        pytest.param("word " * 5_000, id="words"),
        pytest.param("\n" * 500, id="only-line-ends"),
        pytest.param("line of text\n" * 1_000, id="lines"),
        pytest.param("", id="empty"),
    ],
)
def test_slices_are_bounded_and_together_the_whole_text(text: str) -> None:
    pieces, start = [], 0
    while start < len(text):
        end = slice_end(text, start)
        pieces.append(text[start:end])
        start = end
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= SLICE_CHARS and piece.count("\n") <= SLICE_LINES for piece in pieces)


def test_what_is_shown_keeps_its_length_and_hides_nothing() -> None:
    raw = "a\x00b\x1b[31m\u202ereversed\r\n"
    assert len(shown(raw)) == len(raw)
    assert "\u202e" not in shown(raw)
    assert "␀" in shown(raw)
