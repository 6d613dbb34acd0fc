"""Measuring on whole histories of real work; nothing that runs needs it. Task by task: `app.evaluation.tasks`."""
