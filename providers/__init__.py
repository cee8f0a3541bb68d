"""Cloud providers as data: a bundle file each, with its product catalogue."""
