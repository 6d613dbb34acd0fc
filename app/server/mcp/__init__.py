"""MCP: the door, the protocol, the tools."""
