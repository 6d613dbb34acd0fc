"""Conversations: the queue of 20, what a person does to them, what is derived from their messages."""
