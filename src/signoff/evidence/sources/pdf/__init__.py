"""The text of PDF pages that a reader of the page sees, and nothing else that the file holds."""
