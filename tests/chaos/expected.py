"""What must come out, computed from the events alone, without Spark: plain lists, written for clarity."""

from itertools import groupby

from window_queries import COUNT, GAP, TUMBLING


def expected(files):
    """The rows of each (query, output) once all windows but those of the last event have closed."""
    rows = [row for file in files for row in file]
    on_time = [row for row in rows if not row.late and row.key != "end"]
    late = [row for row in rows if row.late]
    counted = list(count_windows(rows))
    return {
        ("tumbling", "main"): tumbling(on_time),
        ("tumbling", "late"): [late_row(row, row.ms - row.ms % TUMBLING) for row in late],
        ("session", "main"): sessions(on_time),
        ("session", "late"): [late_row(row, row.ms) for row in late],
        ("count", "main"): [
            {"key": key, "lane": lane, "ids": " ".join(str(row.id) for row in window), "before": before}
            for key, lane, before, window in counted
        ],
        ("count", "last"): [{"id": window[-1].id, "value": window[-1].value} for *_, window in counted],
    }


def tumbling(rows):
    def place(row):
        return row.key, row.ms - row.ms % TUMBLING

    return [
        result(key, start, start + TUMBLING, list(window))
        for (key, start), window in groupby(sorted(rows, key=place), place)
    ]


def sessions(rows):
    found = []
    for row in sorted(rows, key=lambda row: (row.key, row.ms)):
        last = found[-1][-1] if found else None
        if last and last.key == row.key and row.ms <= last.ms + GAP:
            found[-1].append(row)
        else:
            found.append([row])
    return [result(window[0].key, window[0].ms, window[-1].ms + GAP, window) for window in found]


def count_windows(rows):
    """Key, lane, number of windows before and events of each full window, in order of arrival."""
    open_windows, closed = {}, {}
    for row in rows:
        place = row.key, row.lane
        window = open_windows.setdefault(place, [])
        window.append(row)
        if len(window) == COUNT:
            before = closed.get(place, 0)
            closed[place] = before + 1
            yield *place, before, open_windows.pop(place)


def result(key, start, end, window):
    return {
        "key": key,
        "start": start,
        "end": end,
        "n": len(window),
        "total": sum(row.value for row in window),
    }


def late_row(row, start):
    return {"id": row.id, "key": row.key, "late_reason": "late", "start": start}
