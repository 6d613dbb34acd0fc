"""Sheets over the list: new, merge, rules, scope."""
