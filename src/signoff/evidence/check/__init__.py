"""The rules of `signoff check` on one page at a time. Pure: what is outside of the page is handed in."""
