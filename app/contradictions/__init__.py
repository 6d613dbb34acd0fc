"""Contradictions: found, judged, shown, resolved. Flows over store and deciders; see README.md."""
