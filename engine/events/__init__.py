"""Event buses; events reach them at least once, in the order of an Execution."""
