"""What thinks: role files, the neutral runtime, its implementations and the agents' tools."""
