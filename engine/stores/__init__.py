"""Stores of Executions; each passes the store contract suite."""
