"""A round that cannot go on by itself is put to a person. It is never an approval."""

from __future__ import annotations

from signoff.core.commands import Ask

KEY = "blocked"
RETRY, STOP = "retry", "stop"
NOBODY = "there are no critics: none that is named can judge, and none was selected"
ABOUT = {RETRY: "Tries it again, on the files as they are now.", STOP: "Ends the run without content."}


def ask(why: str) -> Ask:
    """What the person is asked."""
    return Ask(key=KEY, kind="choice", options=(RETRY, STOP), question=f"{why}.", notes={"about": ABOUT})
