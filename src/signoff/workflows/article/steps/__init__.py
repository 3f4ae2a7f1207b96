"""The steps of an article: research, thesis, writing, proofreading, release."""
