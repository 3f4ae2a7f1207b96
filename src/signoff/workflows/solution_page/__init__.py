"""Solution page: a B2B page in English and Chinese in which every claim leads to its evidence."""
