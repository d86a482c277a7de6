"""Windows of event time as a dict of lists: what a stream must give when rows come late."""

from collections import defaultdict


class WindowModel:
    """The windows of all keys, a micro-batch at a time. Times are milliseconds, a window is (start, end).

    `window_of` gives the window of a time. If `merging`, windows of a key that overlap or touch become one.
    """

    def __init__(self, window_of, lateness, *, merging):
        self.window_of = window_of
        self.lateness = lateness
        self.merging = merging
        self.watermark = -1
        self.windows = defaultdict(dict)  # of each key: window -> values of its rows

    def batch(self, rows, watermark):
        """Take the rows (key, time, value) of a micro-batch, all judged against one watermark, as Flink counts it.

        Returns the firings (key, window, count, sum) in order, and the late rows (row, missed window).
        """
        fired = self.advance(watermark)
        late = []
        for row in rows:
            key, time, value = row
            own = None if time is None else self.window_of(time)
            old = [] if own is None else [w for w in self.windows[key] if self.joins(w, own)]
            window = own and (min(w[0] for w in [own, *old]), max(w[1] for w in [own, *old]))
            if window is None or self.is_over(window):
                late.append((row, own))
                continue
            values = [v for w in old for v in self.windows[key].pop(w)]
            self.windows[key][window] = [*values, value]
            if window[1] - 1 <= watermark:
                fired.append(self.firing(key, window))
        return fired, late

    def advance(self, watermark):
        """Fire the windows that the watermark passes, then forget those that it left by the lateness."""
        before, self.watermark = self.watermark, watermark
        due = [
            (w, key)
            for key, windows in self.windows.items()
            for w in windows
            if before < w[1] - 1 <= watermark
        ]
        fired = [self.firing(key, window) for window, key in sorted(due)]
        for key, windows in self.windows.items():
            self.windows[key] = {w: values for w, values in windows.items() if not self.is_over(w)}
        return fired

    def joins(self, one, other):
        """Return whether two windows of a key are one."""
        if self.merging:
            return one[0] <= other[1] and other[0] <= one[1]
        return one == other

    def is_over(self, window):
        """Return whether nothing is taken into a window any more."""
        return window[1] - 1 + self.lateness <= self.watermark

    def firing(self, key, window):
        """Return what a window gives now."""
        values = self.windows[key][window]
        return key, window, len(values), sum(values)
