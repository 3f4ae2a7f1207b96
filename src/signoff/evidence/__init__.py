"""Does this text say what its source says? Pure, for any two texts, in English and Chinese."""

from __future__ import annotations

from signoff.evidence.drift import drift as drift
from signoff.evidence.support import unsupported as unsupported
