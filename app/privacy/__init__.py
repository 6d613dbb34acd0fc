"""What may not be kept: secrets are taken out, and what the person excluded is left out. The only redactor.

Engine and hook share it, so what the hook loads (`detector`, `values`, `near`, `lines`, `told`, `plain`, `logins`, `pairs`,
`dense`, `json_text`, `stored_rules`) imports the standard library alone, and of that nothing that starts slowly: not `re`,
not `json`. The patterns come compiled: by re2 in the engine (`secret_rules`), from a file that it leaves for the hook
(`hook_rules`). Knows no store and no assistant. Source: DESIGN 3, QUALITY S6, P4.
"""
