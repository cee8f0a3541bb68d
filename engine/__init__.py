"""What the code owns: the graph, the Ledger, the Execution, its contracts and its delivery rules."""
