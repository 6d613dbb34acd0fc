"""The judge: a model of language that the person already has, asked in the background what to remember.

Owns the port, its requests and answers, their verification, and one adapter a file. Knows no store, no flow and no window.
Source: DESIGN section 7, JUDGE.
"""
