"""Sizes of files that may be removed while they are counted."""

from pathlib import Path

from app.store.file_sizes import file_bytes, folder_bytes


def test_what_is_gone_when_it_is_looked_at_counts_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    assert folder_bytes(folder) == 0
    (folder / "parts").mkdir(parents=True)
    (folder / "one").write_bytes(b"1234")
    (folder / "parts" / "two").write_bytes(b"12")
    (folder / "gone").symlink_to(tmp_path / "nowhere")  # as a file that is removed between listing and looking
    assert folder_bytes(folder) == 6
    assert file_bytes(folder / "gone") == 0
    assert file_bytes(folder / "one") == 4
