"""Task queues; each passes the queue contract suite."""
