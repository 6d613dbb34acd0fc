"""The routes, one file per noun: bodies, parameters, endpoints."""
