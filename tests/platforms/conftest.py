"""Where the cluster and the processes of the tests of chaos are."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "chaos"))
