"""Figures of the job over the day, as a picture."""

import time
from collections import defaultdict

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

ROWS = {
    "watermarkLagMs": ("watermark behind the clock, s", 1000),
    "openWindows": ("open windows", 1),
    "stateBytes": ("state, KiB", 1024),
    "numLateRecordsDropped": ("late rows", 1),
}

GAP = 0.1  # minutes


class Figures:
    """Figures that were scraped, and the events meanwhile."""

    def __init__(self, read):
        self._read = read
        self._began = time.monotonic()
        self._last = 0.0
        self._seen = defaultdict(list)
        self._events = []

    def event(self, text):
        """Keep what happens for a mark in the picture."""
        self._events.append((self._minute(), text.partition(":")[0]))

    def scrape(self):
        """Read the figures; where there are none, and while nobody reads them, the line has a gap."""
        now, found = self._minute(), self._read()
        if now - self._last > GAP:
            for seen in self._seen.values():
                seen.append((now, float("nan")))
        self._last = now
        for key in {*self._seen, *found}:
            self._seen[key].append((now, found.get(key, float("nan"))))

    def _minute(self):
        return (time.monotonic() - self._began) / 60

    def draw(self, path):
        """Write the picture: a row for each figure, a line for each query."""
        if not self._seen:
            raise SystemExit("no figure was scraped")
        figure, axes = plt.subplots(len(ROWS), 1, sharex=True, figsize=(11, 9), layout="constrained")
        for axis, (name, (label, unit)) in zip(axes, ROWS.items(), strict=True):
            for (query, key), seen in sorted(self._seen.items()):
                if key == name:
                    axis.plot([at for at, _ in seen], [value / unit for _, value in seen], label=query)
            axis.set_ylabel(label)
            axis.set_ylim(0, max(1, axis.get_ylim()[1]))
            for at, _ in self._events:
                axis.axvline(at, color="lightgray", zorder=0)
        axes[0].legend(loc="upper right")
        axes[-1].set_xlabel("minutes")
        for at, text in self._events:
            axes[0].text(at, 1.02, text, rotation=35, fontsize=8, transform=axes[0].get_xaxis_transform())
        figure.savefig(path, dpi=80)
        print(f"figures: {path}")
