"""The merge tool: two memories that cannot both hold, side by side, and the answer. Source: UX 4.7."""
