"""What `python -m` starts: the command that is named, or the list of all."""

import sys

from app.registry import main

sys.exit(main())
