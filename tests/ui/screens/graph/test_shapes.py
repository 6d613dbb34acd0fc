"""The icons of the list beside the graph: one picture per shape and theme."""

import pytest
from PySide6.QtCore import QSize

from app.values.graph import NodeLook
from ui.screens.graph.shapes import look_icon
from ui.theme import Theme, ThemeChoice


def picture_key(look: NodeLook) -> int:
    return look_icon(look).pixmap(QSize(16, 16), 2.0).cacheKey()


@pytest.mark.parametrize("look", [NodeLook.MEMORY, NodeLook.FILE])
def test_all_rows_share_the_picture_of_a_shape_and_a_theme_has_its_own(theme: Theme, look: NodeLook) -> None:
    light = picture_key(look)
    assert picture_key(look) == light
    theme.set(ThemeChoice.DARK)
    dark = picture_key(look)
    assert dark != light
    theme.set(ThemeChoice.LIGHT)
    assert picture_key(look) == light
