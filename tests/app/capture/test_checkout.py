"""The branch of a folder, as git itself leaves it behind: a repository, a folder in it, a worktree, no branch, no repository."""

import subprocess
from pathlib import Path

import pytest

from app.capture.checkout import find_branch, find_collaborators


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    return folder


def test_a_folder_of_a_repository_is_on_its_branch(repository: Path) -> None:
    (repository / "src" / "api").mkdir(parents=True)
    git(repository, "checkout", "-b", "fix/login")
    assert find_branch(str(repository)) == find_branch(str(repository / "src" / "api")) == "fix/login"


def test_a_worktree_has_its_own(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-b", "feature/rooms", str(tmp_path / "rooms"))
    assert (find_branch(str(repository)), find_branch(str(tmp_path / "rooms"))) == ("main", "feature/rooms")


def test_without_a_branch_and_without_a_repository_there_is_none(repository: Path, tmp_path: Path) -> None:
    git(repository, "checkout", "--detach")
    assert [find_branch(one) for one in (str(repository), str(tmp_path), "", "shop", "/w/nowhere")] == [""] * 5


def test_what_is_no_repository_of_git_costs_nothing(tmp_path: Path) -> None:
    for name, text in (("a", "gitdir:"), ("b", "x" * 100_000), ("c", "gitdir: ../gone"), ("d", "\udcff")):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_bytes(text.encode("utf-8", "surrogateescape"))
        assert find_branch(str(tmp_path / name)) == ""


def test_who_else_wrote_on_the_branch_works_along(repository: Path, tmp_path: Path) -> None:
    assert find_collaborators(str(repository)) == ()
    git(repository, "checkout", "-b", "feature/rooms")
    git(repository, "commit", "--allow-empty", "-m", "own")
    assert find_collaborators(str(repository)) == ()
    trailers = "rooms\n\nCo-authored-by: Marjolein Vos <mv@example.org>\nCo-Authored-By: Claude <noreply@example.org>"
    git(repository, "commit", "--allow-empty", "-m", trailers)
    git(repository, "commit", "--allow-empty", "--author", "Tim Fox <tim@example.org>", "-m", "more")
    assert find_collaborators(str(repository)) == ("Tim Fox", "Marjolein Vos")
    git(repository, "worktree", "add", "-b", "feature/beds", str(tmp_path / "beds"))
    assert find_collaborators(str(tmp_path / "beds")) == ("Tim Fox", "Marjolein Vos")


def test_the_trunk_and_what_is_packed_names_nobody(repository: Path) -> None:
    git(repository, "commit", "--allow-empty", "--author", "Tim Fox <tim@example.org>", "-m", "more")
    assert find_collaborators(str(repository)) == ()  # everybody's
    git(repository, "checkout", "-b", "feature/rooms")
    assert find_collaborators(str(repository)) == ()  # it is on the trunk already
    git(repository, "commit", "--allow-empty", "--author", "Tim Fox <tim@example.org>", "-m", "room")
    assert find_collaborators(str(repository)) == ("Tim Fox",)
    git(repository, "gc", "--prune=now")
    assert find_collaborators(str(repository)) == ()
