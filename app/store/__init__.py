"""SQLModel tables, queries, journal, migrations, backup: everything that knows SQL."""
