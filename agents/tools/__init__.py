"""Tools that Specialists may call beside their submission tools."""
