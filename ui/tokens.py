"""Colour tokens of both themes, as plain text values: no Qt, so that a test can compute their contrast.

Text on its ground has at least 4.5:1, parts at least 3:1 (QUALITY E5). Source: STACK-UI section 6.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """One theme. `…_soft` are grounds for text of the same hue, `faint` is for what is switched off."""

    name: str
    bg: str
    panel: str
    raised: str  # grounds that stand out of a panel: hovered rows, code
    line: str  # hairlines
    edge: str  # borders of what can be pressed or typed into: 3:1 on panel
    text: str
    sub: str
    faint: str
    accent: str
    accent_hover: str
    accent_soft: str
    on_accent: str
    warn: str
    warn_soft: str
    good: str
    good_soft: str
    danger: str
    danger_soft: str
    mark: str  # ground of found words
    violet: str  # kinds that are none of the above, in the graph
    teal: str


LIGHT = Tokens(
    name="light",
    bg="#f6f7f9",
    panel="#ffffff",
    raised="#f0f2f6",
    line="#e3e6ec",
    edge="#868e9c",
    text="#1b1f27",
    sub="#5b6472",
    faint="#9aa1ad",
    accent="#3b5bdb",
    accent_hover="#3450c4",
    accent_soft="#e7ecfd",
    on_accent="#ffffff",
    warn="#8a5200",
    warn_soft="#fdf1dc",
    good="#1f6e30",
    good_soft="#e5f5e9",
    danger="#c0262d",
    danger_soft="#fdeaea",
    mark="#ffe8a3",
    violet="#7a3fc4",
    teal="#0b7075",
)

DARK = Tokens(
    name="dark",
    bg="#15171c",
    panel="#1d2027",
    raised="#272b34",
    line="#2c313b",
    edge="#737d8e",
    text="#e8eaef",
    sub="#9aa3b2",
    faint="#5d6675",
    accent="#7c93ff",
    accent_hover="#93a6ff",
    accent_soft="#262d4a",
    on_accent="#12141a",
    warn="#ff922b",
    warn_soft="#3a2a1c",
    good="#51cf66",
    good_soft="#1d3325",
    danger="#ff8787",
    danger_soft="#3b2226",
    mark="#5c4a12",
    violet="#c29bff",
    teal="#3fc6c6",
)


def contrast(one: str, other: str) -> float:
    """WCAG contrast of two colours, 1 to 21.

    >>> round(contrast("#ffffff", "#000000"), 1)
    21.0
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(value: str) -> float:
    parts = [int(value[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
