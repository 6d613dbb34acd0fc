"""How a configuration file takes our entries and gives them back to the byte: JSON, TOML, hooks, servers, records. Knows no assistant."""
