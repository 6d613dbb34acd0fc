"""The screen Consolidation: what the next run would do, what one did, when and how, and the report on Now."""
