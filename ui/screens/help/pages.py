"""The help pages by name, and their text from `resources/help`. Pages are ours; no text of the person goes in."""

from dataclasses import dataclass

from app.resources import resource_path


@dataclass(frozen=True, slots=True)
class HelpPage:
    id: str
    title: str


HELP_PAGES: tuple[HelpPage, ...] = (
    HelpPage("getting-started", "Getting started"),
    HelpPage("queue-and-boundaries", "The queue and where conversations start"),
    HelpPage("references-and-intents", "References and intents"),
    HelpPage("memories", "Memories"),
    HelpPage("episodes", "Episodes"),
    HelpPage("graph", "The graph"),
    HelpPage("contradictions", "Contradictions"),
    HelpPage("consolidation", "Consolidation"),
    HelpPage("learned", "Rules and workflows"),
    HelpPage("reading-along", "Reading along"),
    HelpPage("notes-and-energy", "Notes and energy"),
    HelpPage("statistics", "Statistics"),
    HelpPage("context", "What assistants are given"),
    HelpPage("privacy", "Privacy and what is stored"),
    HelpPage("shortcuts", "Keyboard shortcuts"),
    HelpPage("troubleshooting", "When something does not work"),
)


PAGE_OF_SCREEN = {
    "now": "getting-started", "conversations": "queue-and-boundaries", "episodes": "episodes", "memories": "memories",
    "review": "memories", "graph": "graph", "contradictions": "contradictions", "consolidation": "consolidation",
    "context": "context", "learned": "learned", "apps": "getting-started", "first-start": "getting-started",
    "settings": "privacy", "activity": "troubleshooting", "activity?statistics": "statistics",
    "activity?reading": "reading-along", "activity?energy": "notes-and-energy",
}  # fmt: skip


_NOWHERE = 3  # behind title, headings, text


def page_of(screen: str, part: str = "") -> str:
    """The help page of a screen or of a part of it; "" where there is none.

    >>> page_of("activity", "energy"), page_of("activity", "failed"), page_of("help")
    ('notes-and-energy', 'troubleshooting', '')
    """
    return PAGE_OF_SCREEN.get(f"{screen}?{part}", PAGE_OF_SCREEN.get(screen, ""))


def find_pages(text: str) -> tuple[str, ...]:
    """The pages with all words of `text`: first those with it in the title, then those with it in a heading, then the
    others; among equals those that say it oftener.

    >>> find_pages("energy")[0], find_pages("zebra")
    ('notes-and-energy', ())
    """
    words = text.lower().split()
    ranked = sorted((*_rank(page, words), n) for n, page in enumerate(HELP_PAGES))
    return tuple(HELP_PAGES[n].id for place, _, n in ranked if place < _NOWHERE) if words else ()


def _rank(page: HelpPage, words: list[str]) -> tuple[int, int]:
    title, body = page.title.lower(), read_page(page.id).lower()
    headings = "\n".join(line for line in body.splitlines() if line.startswith("#"))
    for place, said in enumerate((title, f"{title}\n{headings}", f"{title}\n{body}")):
        if all(word in said for word in words):
            return place, -sum(body.count(word) for word in words)
    return _NOWHERE, 0


def read_page(page_id: str) -> str:
    """The Markdown of a page; the shortcuts page is made from the table of actions. KeyError for a wrong id."""
    known = {page.id for page in HELP_PAGES}
    if page_id not in known:
        raise KeyError(page_id)
    if page_id == "shortcuts":
        return shortcuts_markdown()
    text = resource_path("help", f"{page_id}.md").read_text(encoding="utf-8")
    if not resource_path("help", "pictures", f"{page_id}-light.png").is_file():
        return text
    title, _, rest = text.partition("\n\n")
    first, _, rest = rest.partition("\n\n")  # what it is about, then how it looks
    return f"{title}\n\n{first}\n\n![How it looks](picture:{page_id})\n\n{rest}"


def shortcuts_markdown() -> str:
    """All shortcuts as Markdown tables, one per menu."""
    from ui.actions.table import ACTIONS, MENUS
    from ui.shell.shortcut_sheet import describe_keys

    lines = ["# Keyboard shortcuts", "", "Single letters work wherever no text field has the focus.", ""]
    for menu in MENUS:
        rows = [spec for spec in ACTIONS if spec.menu == menu and describe_keys(spec)]
        if rows:
            lines += [f"## {menu}", "", "| keys | does |", "| --- | --- |"]
            lines += [
                f"| {describe_keys(spec)} | {spec.text.rstrip('…')} – {spec.tip[:1].lower()}{spec.tip[1:]} |"
                for spec in rows
            ]
            lines.append("")
    return "\n".join(lines)
