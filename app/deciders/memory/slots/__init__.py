"""Slots: which question a statement answers, and with what."""
