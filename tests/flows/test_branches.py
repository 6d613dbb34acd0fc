"""A user's story over the real socket and a real repository: another branch is started otherwise, a checkout is heard."""

import json
import subprocess
from itertools import count
from pathlib import Path

from app.api import Engine, Places, Scope
from app.capture.hook_files import write_hook_conf
from tests.flows.processes import ask, run_hook, serving, wait_for

FRUITS = (
    "apple pear plum fig quince mango lemon grape cherry melon peach olive date papaya guava lychee currant medlar banana lime "
    "walnut almond hazel cashew"
)
COUNT = len(FRUITS.split())


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def hook(home: Path, folder: Path, event: str, session: str, prompt: str = "") -> str:
    """What the assistant is given."""
    names = {"prompt": "UserPromptSubmit", "start": "SessionStart"}
    body = {"session_id": session, "cwd": str(folder), "hook_event_name": names[event], "source": "startup"}
    done = run_hook(home, event, json.dumps(body | ({"prompt": prompt} if prompt else {})).encode(), cwd=folder)
    assert done.returncode == 0
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""


def test_another_branch_starts_otherwise_and_a_checkout_is_heard(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "shop"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    engine = Engine.open(Places.under(home))
    _, token = engine.apps.create("claude-code", "Claude Code", frozenset({Scope.CAPTURE, Scope.READ}))
    write_hook_conf(engine.places.state_dir, "claude-code", {"token": token})
    engine.close()

    def typed(count: int) -> bool:
        found = ask(home, "conversations", "list")
        return isinstance(found, list) and sum(int(one["message_count"]) for one in found) == count

    with serving(home):
        git(folder, "checkout", "-b", "feature/rooms")
        hook(home, folder, "prompt", "b", "From now on always count the beds of a room in the database.")
        wait_for(lambda: typed(1))
        git(folder, "checkout", "main")
        for fruit in FRUITS.split():
            hook(home, folder, "prompt", "c", f"From now on never rename the {fruit} table.")
        wait_for(lambda: typed(1 + COUNT))

        assert "beds" not in hook(home, folder, "start", "on-main"), "newer rules of main come first"
        git(folder, "checkout", "feature/rooms")
        starts = count()  # a start that came too late on a busy machine was given nothing: another session asks
        wait_for(lambda: "beds" in hook(home, folder, "start", f"on-rooms-{next(starts)}"))

        git(folder, "checkout", "main")
        hook(home, folder, "prompt", "moving", "look at the list of tables")
        wait_for(lambda: typed(COUNT + 2))
        git(folder, "checkout", "feature/rooms")
        prompts = count(1)
        wait_for(
            lambda: "beds" in hook(home, folder, "prompt", "moving", f"go on with part {next(prompts)} of what is open")
        )
        wait_for(lambda: typed(COUNT + 2 + next(prompts) - 1))
        assert "beds" not in hook(home, folder, "prompt", "moving", "and the next part of it"), "once is enough"
