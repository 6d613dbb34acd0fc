"""What comes in, before it is understood: the inbox, the spool, exclusion, streams, tokens."""
