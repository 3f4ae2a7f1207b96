"""What people read: the board, the pages of a run, the reports, the picture of the sequence."""
