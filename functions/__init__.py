"""The doors: what receives a request, and nothing else."""
