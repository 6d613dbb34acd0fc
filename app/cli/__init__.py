"""The command line: `remanence …`.

Owns words, tables and exit codes of the terminal. Whatever touches the store goes through `client.py`, which asks
the running app or opens the engine itself. Source: DESIGN section 6.
"""
