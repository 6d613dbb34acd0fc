"""OpenCode: its plugin takes one text; it begins a session by an event that nobody can answer."""

from app.assistants.assistant import Assistant, HookAnswers, flat_answer
from app.assistants.opencode.hook import read_plugin_call

ASSISTANT = Assistant(
    "opencode",
    "OpenCode",
    __name__,
    HookAnswers(prompt="", start=None, write=flat_answer),
    read_payload=read_plugin_call,
)
