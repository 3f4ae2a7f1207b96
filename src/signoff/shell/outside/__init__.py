"""Looking outside for documents: one small port, a folder of documents or the web behind it (`port.py`)."""
