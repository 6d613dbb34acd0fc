"""The Graph screen: what hangs together with what, as a picture and as a list that says the same. Source: UX 4.5."""
