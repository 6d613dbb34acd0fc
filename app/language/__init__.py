"""Language: normalising, sentences, tokens, stems, tags, phrases. Pure; below all deciders."""
