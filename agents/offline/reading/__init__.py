"""How the offline planner reads a request."""
