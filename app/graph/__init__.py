"""The knowledge graph as a flow: reads a part of it for whoever looks."""
