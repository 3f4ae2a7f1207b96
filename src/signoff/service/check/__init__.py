"""`signoff check`: the linter over files, in parallel, with a cache. The rules are in `signoff.evidence.check`."""
