"""What the code owns: graph, Ledger, Execution, contracts and delivery rules."""
