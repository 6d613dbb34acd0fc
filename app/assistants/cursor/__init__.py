"""Cursor."""

from app.assistants.assistant import Assistant, HookAnswers


def _answer(event: str, name: str, context: str) -> dict[str, object]:
    del name
    return {"additional_context": context} | ({"continue": True} if event == "prompt" else {})


ASSISTANT = Assistant("cursor", "Cursor", __name__, HookAnswers(prompt="", start="", write=_answer))
