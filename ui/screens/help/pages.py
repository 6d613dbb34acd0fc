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
