"""What is different between two runs, row by row."""

import json
from collections import Counter


def differences(expected, found):
    """A line for each row that is lost, doubled or not expected; both by (query, output), in any order.

    A window with a wrong count is two: a row that is lost and one that is not expected.
    """
    lines = []
    for output in sorted({*expected, *found}):
        wanted, came = counted(expected.get(output, [])), counted(found.get(output, []))
        for row in sorted({*wanted, *came}):
            what = "lost" if came[row] < wanted[row] else "doubled" if row in wanted else "not expected"
            lines += [f"{what}: {' '.join(output)} {row}"] * abs(came[row] - wanted[row])
    return lines


def counted(rows):
    return Counter(json.dumps(row, sort_keys=True) for row in rows)
