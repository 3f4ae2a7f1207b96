"""Does a text say what its source says: numbers with units, codes, locators, sources, and whether they agree."""
