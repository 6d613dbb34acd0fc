"""Exports of ChatGPT and Claude.ai, as file, folder and zip; archives that are not to be trusted."""

import contextlib
import json
import stat
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.assistants.discover import recognise
from app.interop.chat_export import read_chatgpt, read_claude_ai
from app.interop.prompts import ImportRefusedError, SkippedLine
from app.values import EventKind


def node(name: str, parent: str | None, *children: str, role: str = "user", **message: Any) -> dict[str, Any]:
    content = message.pop("content", {"content_type": "text", "parts": [f"words of {name}"]})
    body = {"id": f"m-{name}", "author": {"role": role}, "create_time": None, "content": content, "metadata": {}}
    return {"id": name, "parent": parent, "children": list(children), "message": body | message}


def tree(*nodes: dict[str, Any]) -> dict[str, Any]:
    root = {
        "id": "root",
        "parent": None,
        "children": [n["id"] for n in nodes if n["parent"] == "root"],
        "message": None,
    }
    return {"root": root} | {n["id"]: n for n in nodes}


def gpt_chat(*nodes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"id": "chat-1", "title": "Lids", "create_time": 1787216400.0, "mapping": tree(*nodes)} | fields


def claude_chat(uuid: str, *texts: str) -> dict[str, Any]:
    messages = [
        {"uuid": f"{uuid}-{n}", "sender": "human", "text": text, "created_at": f"2026-08-20T09:0{n}:00Z"}
        for n, text in enumerate(texts)
    ]
    answer = {"uuid": f"{uuid}-a", "sender": "assistant", "text": "Certainly", "created_at": "2026-08-20T09:00:30Z"}
    return {
        "uuid": uuid,
        "name": f"Chat {uuid}",
        "created_at": "2026-08-20T09:00:00Z",
        "chat_messages": [*messages, answer],
    }


def write(path: Path, chats: object) -> Path:
    path.write_text(json.dumps(chats, indent=2), encoding="utf-8")
    return path


def texts(requests: list[Any]) -> list[str]:
    return [request.text for request in requests if request.kind is EventKind.PROMPT]


def test_the_branch_last_seen_is_taken(tmp_path: Path, events) -> None:
    nodes = (node("a", "root", "b", "c"), node("b", "a"), node("c", "a", "d", role="assistant"), node("d", "c"))
    path = write(tmp_path / "conversations.json", [gpt_chat(*nodes, current_node="d")])
    read = events(read_chatgpt(path))
    assert texts(read) == ["words of a", "words of d"]
    assert [e.key for e in read] == ["chatgpt:chat-1:start", "chatgpt:m-a", "chatgpt:m-d", "chatgpt:chat-1:end:m-d"]
    assert {(e.session, e.payload["title"], e.at) for e in read} == {
        ("chat-1", "Lids", datetime(2026, 8, 20, 9, tzinfo=UTC))
    }


@pytest.mark.parametrize("fields", [{}, {"current_node": "nowhere"}, {"current_node": None}])
def test_without_a_current_node_the_last_children_are_followed(tmp_path: Path, events, fields: dict[str, Any]) -> None:
    nodes = (node("a", "root", "b", "c"), node("b", "a"), node("c", "a"))
    path = write(tmp_path / "conversations.json", [gpt_chat(*nodes, **fields)])
    assert texts(events(read_chatgpt(path))) == ["words of a", "words of c"]


def test_what_was_not_typed_stays_out(tmp_path: Path, events) -> None:
    picture = {"content_type": "multimodal_text", "parts": [{"asset_pointer": "file://x"}, "what is this?"]}
    hidden = {"is_visually_hidden_from_conversation": True}
    nodes = (
        node("a", "root", "b", role="system"),
        node("b", "a", "c", metadata=hidden),
        node("c", "b", "d", content={"content_type": "user_editable_context", "user_profile": "x"}),
        node("d", "c", content=picture),
    )
    path = write(tmp_path / "conversations.json", [gpt_chat(*nodes, current_node="d")])
    assert texts(events(read_chatgpt(path))) == ["what is this?"]


def test_chats_not_to_be_remembered_and_odd_entries_are_skipped(tmp_path: Path) -> None:
    ring = gpt_chat(node("a", "b", "b"), node("b", "a", "a"), current_node="a")
    chats = [gpt_chat(node("a", "root"), is_do_not_remember=True), 7, {"x": 1}, ring]
    items = list(read_chatgpt(write(tmp_path / "conversations.json", chats)))
    assert [isinstance(read.item, SkippedLine) for read in items[:3]] == [True] * 3
    assert texts([read.item for read in items[3:]]) == ["words of b", "words of a"]


def test_claude_ai_messages_come_in_order_with_their_blocks(tmp_path: Path, events) -> None:
    chat = claude_chat("c1", "plain")
    blocks = [{"type": "text", "text": "one"}, {"type": "tool_use"}, {"type": "text", "text": "two"}]
    chat["chat_messages"].append(
        {"uuid": "c1-9", "sender": "human", "text": "old", "content": blocks, "created_at": None}
    )
    read = events(read_claude_ai(write(tmp_path / "conversations.json", [chat, claude_chat("c2")])))
    assert texts(read) == ["plain", "one\ntwo"]
    assert [e.at for e in read] == sorted(e.at for e in read)


@pytest.mark.parametrize("name", ["conversations.json", "export.zip"])
def test_going_on_after_any_chat_reads_the_rest(tmp_path: Path, events, name: str) -> None:
    plain = write(tmp_path / "conversations.json", [claude_chat(f"c{n}", "first", "second") for n in range(4)])
    path = tmp_path / name
    if path != plain:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(plain, "data/conversations.json")
    items = list(read_claude_ai(path))
    assert len(items) == 16
    for number, read in enumerate(items):
        rest = [e.key for e in events(read_claude_ai(path, start_offset=read.end_offset))]
        assert {later.item.key for later in items[number + 1 :]} <= set(rest)
    assert list(read_claude_ai(path, start_offset=items[-1].end_offset)) == []


def test_numbered_files_are_one_export(tmp_path: Path, events) -> None:
    archive_path = tmp_path / "export.zip"
    with zipfile.ZipFile(archive_path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in (1, 0):
            archive.writestr(f"conversations-00{number}.json", json.dumps([claude_chat(f"c{number}", f"in {number}")]))
        archive.writestr("users.json", "[]")
        archive.writestr("conversations.json.index", "x")
    items = list(read_claude_ai(archive_path))
    assert texts([read.item for read in items]) == ["in 0", "in 1"]
    rest = events(read_claude_ai(archive_path, start_offset=items[2].end_offset))
    assert texts(rest) == ["in 1"]


def zip_with(path: Path, name: str, content: bytes, *, mode: int = 0o644) -> Path:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, content)
        archive.writestr("conversations.json", json.dumps([claude_chat("c1", "bait")]))
    return path


@pytest.mark.parametrize(
    "name", ["../conversations.json", "/etc/x.json", "a/../../x.json", "..\\x.json", "C:\\x.json", "C:/x.json"]
)
def test_paths_that_climb_out_are_refused(tmp_path: Path, name: str) -> None:
    path = zip_with(tmp_path / "e.zip", name, b"[]")
    with pytest.raises(ImportRefusedError, match="points outside"):
        list(read_claude_ai(path))


def test_links_in_archives_are_refused(tmp_path: Path) -> None:
    path = zip_with(tmp_path / "e.zip", "link.json", b"/etc/passwd", mode=stat.S_IFLNK | 0o777)
    with pytest.raises(ImportRefusedError, match="points outside"):
        list(read_claude_ai(path))


def test_bombs_are_refused_before_a_byte_is_unpacked(tmp_path: Path) -> None:
    path = zip_with(tmp_path / "e.zip", "conversations-001.json", b" " * (32 * 1024 * 1024))
    with pytest.raises(ImportRefusedError, match="unpacks to far more"):
        list(read_claude_ai(path))


def test_a_size_that_lies_does_not_help_a_bomb(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * (32 * 1024 * 1024) + b"]")
    raw = bytearray(path.read_bytes())
    for signature, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        begin = raw.find(signature)
        raw[begin + at : begin + at + 4] = (1000).to_bytes(4, "little")
    path.write_bytes(raw)
    with pytest.raises(ImportRefusedError):
        list(read_claude_ai(path))


def test_what_is_not_read_of_an_archive_does_not_matter(tmp_path: Path, events) -> None:
    path = zip_with(tmp_path / "e.zip", "10:30 blank picture.bmp", b" " * (32 * 1024 * 1024))
    assert texts(events(read_claude_ai(path))) == ["bait"]


def test_unusual_packing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("conversations.json", "[]")
    with pytest.raises(ImportRefusedError, match="unusual way"):
        list(read_claude_ai(path))


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(flips=st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 255)), min_size=1, max_size=6))
def test_a_damaged_archive_is_read_or_refused_and_nothing_else(tmp_path: Path, flips: list[tuple[int, int]]) -> None:
    path = zip_with(tmp_path / "e.zip", "a.json", b"[]")
    raw = bytearray(path.read_bytes())
    for at, mask in flips:
        raw[at % len(raw)] ^= mask
    path.write_bytes(raw)
    with contextlib.suppress(ImportRefusedError):
        list(read_claude_ai(path))
    assert recognise(path) in {None, "claude-ai"}


@pytest.mark.parametrize("damage", [lambda raw: raw[: len(raw) // 2], lambda raw: b"PK\x05\x06" + raw[:9]])
def test_a_torn_archive_is_refused_with_a_sentence(tmp_path: Path, damage) -> None:
    path = zip_with(tmp_path / "e.zip", "a.json", b"[]")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ImportRefusedError) as refused:
        list(read_claude_ai(path))
    assert str(refused.value).endswith(".")
    assert refused.value.hint


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_nothing_in_an_export_stops_the_readers(tmp_path: Path, data: st.DataObject) -> None:
    odd = st.one_of(
        st.none(), st.text(max_size=4), st.integers(), st.just([]), st.just({}), st.just([[]]), st.just([{}])
    )
    names = ("id", "parent", "children", "message", "author", "role", "content", "content_type", "parts", "metadata")
    more = ("mapping", "current_node", "title", "create_time", "chat_messages", "sender", "text", "uuid", "project")
    part = st.recursive(
        odd, lambda deep: st.dictionaries(st.sampled_from((*names, *more)), deep, max_size=5), max_leaves=15
    )
    nodes = st.dictionaries(st.sampled_from(["a", "b", "c"]), part, max_size=3)
    chat = st.fixed_dictionaries(
        {"mapping": st.one_of(nodes, odd), "chat_messages": st.one_of(st.lists(part, max_size=3), odd)}
    )
    path = write(tmp_path / "conversations.json", data.draw(st.lists(st.one_of(chat, part), max_size=4)))
    for reader in (read_chatgpt, read_claude_ai):
        offsets = [read.end_offset for read in reader(path)]
        assert offsets == sorted(offsets)
