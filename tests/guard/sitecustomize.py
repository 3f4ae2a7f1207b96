"""Python imports this when it starts: a child of the tests is held to loopback, as they are."""

import only_loopback

only_loopback.install()
