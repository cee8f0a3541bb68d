"""The offline planner: a deterministic model class that runs behind the same agent runtime."""
