"""`python -m app.cli …`: the same as the installed command."""

from app.cli.main import main

main()
