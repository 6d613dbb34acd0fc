"""Readers and writers of foreign formats, one file each: bytes in, values out."""
