"""The scripts of `release` can be imported."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "release"))
