"""What a version changed, in the words of the editor: no name of a column, no instant, no word of the engine."""

import pytest

from ui.screens.memories.inspector.history import plain_diff


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ("", ""),
        ("full: use [-npm-]{+pnpm+}", "Full: use [-npm-]{+pnpm+}"),
        ("index: [-port-]{+ports+}", "Index: [-port-]{+ports+}"),
        ("status: [-active-]{+archived+}", "State: [-in use-]{+archived+}"),
        ("status: [-quarantined-]{+active+}", "State: [-held back-]{+in use+}"),
        ("visibility: [-user-private-]{+project-shared+}", "Given: [-only in its project-]{+in all projects+}"),
        ("valid_to: [-open-]{+2026-03-02T12:00:00+00:00+}", "True until: [-still true-]{+2026-03-02+}"),
        ("full: We say\ntitle: nothing\nstatus: open", "Full: We say\ntitle: nothing\nState: open"),
        ("title: [-a-]{+b+}\nfull: full: of it", "Title: [-a-]{+b+}\nFull: full: of it"),
    ],
)
def test_a_diff_reads_in_the_words_of_the_editor(told: str, read: str) -> None:
    assert plain_diff(told) == read
