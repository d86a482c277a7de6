"""What a job puts out: a file for each query, output and micro-batch, which a second attempt at the micro-batch replaces."""

import json


def write(folder, query, output, batch, rows):
    """Replace what an earlier attempt may have left, at once, and note that there was one and whether its rows were the same."""
    path = folder / "out" / query / output / f"{batch}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        same = sorted(path.read_text().splitlines()) == sorted(rows)
        with (folder / "again").open("a") as log:
            print(query, output, batch, "same" if same else "other", file=log)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text("".join(row + "\n" for row in rows))
    unfinished.replace(path)


def newest(folder, query):
    """The highest number of a micro-batch of which an output was written, or -1."""
    return max((int(path.stem) for path in folder.glob(f"out/{query}/*/*.json")), default=-1)


def read(folder):
    """The rows of all micro-batches by (query, output)."""
    found = {}
    for path in sorted(folder.glob("out/*/*/*.json")):
        rows = found.setdefault((path.parent.parent.name, path.parent.name), [])
        rows += [json.loads(line) for line in path.read_text().splitlines()]
    return found


def again(folder):
    """A line for each output of a micro-batch that was written a second time; it ends in "other" if the rows were others."""
    log = folder / "again"
    return log.read_text().splitlines() if log.exists() else []
