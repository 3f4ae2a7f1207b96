"""Numbers of a text: what is written, in which unit, of what; `reading.quantities` reads them."""
