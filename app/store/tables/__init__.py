"""The SQLModel tables, one file per noun."""
