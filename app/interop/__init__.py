"""Readers and writers of foreign formats, one file each: bytes in, values out.

Reads none of them by itself: taking an event in needs two of these files, and the socket waits for no more. `readers` is the
way to all sources.
"""
