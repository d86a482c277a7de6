"""Steps of a release: each prints one line, and one that fails ends the program with all that its command printed."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests" / "platforms"))

import quick_start  # noqa: E402
from commands import output  # noqa: E402

__all__ = ["ROOT", "git", "output", "quick_start", "step", "version_in"]


@contextlib.contextmanager
def step(text):
    """Print the text when the step is done, with its seconds; the text can be extended by what the step yields."""
    began = time.monotonic()
    details = []
    yield details
    print(f"{': '.join([text, *details])} ({time.monotonic() - began:.0f} s)", flush=True)


def git(*arguments, folder=ROOT):
    """What git prints, without the last line break; None if it fails."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def version_in(folder):
    """Version of the package in a clone."""
    text = (folder / "python/src/spark_windowing/_version.py").read_text(encoding="utf-8")
    return next(line.split('"')[1] for line in text.splitlines() if line.startswith("__version__"))
