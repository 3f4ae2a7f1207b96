"""The steps of a page: drafts and reviews, sign-off, edits, and what an accepted output may do."""
