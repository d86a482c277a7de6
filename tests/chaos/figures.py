"""What is printed of jobs: a line of a table for each kind of kill and state."""

import shutil
from dataclasses import dataclass, field

import batch_files
from differences import differences
from job import QUERIES
from kills import Tally

TITLES = (
    "killed",
    "state",
    "kills",
    "restarts",
    "in a micro-batch",
    "its state stored",
    "micro-batches",
    "outputs written again",
    "rows in",
    "tumbling main + late",
    "session main + late",
    "count main + last",
    "pieces at the end",
    "differences",
)


@dataclass
class Figures:
    """What is printed of the jobs of one kind."""

    killed: str
    state: str
    tally: Tally = field(default_factory=Tally)
    batches: int = 0
    again: int = 0
    rows_in: int = 0
    rows_out: dict = field(default_factory=dict)
    pieces: int = 0
    differences: list = field(default_factory=list)

    def add(self, job, rows_in, wanted):
        """Read what a job has put out and compare it; delete it if it is right."""
        found, again = batch_files.read(job.folder), batch_files.again(job.folder)
        other = [f"not the same when written again: {line}" for line in again if line.endswith("other")]
        wrong = differences(wanted, found) + other
        self.batches += job.batches()
        self.again += len(again)
        self.rows_in += rows_in
        self.pieces += int((job.folder / "pieces").read_text())
        for output, rows in found.items():
            self.rows_out[output] = self.rows_out.get(output, 0) + len(rows)
        self.differences += wrong
        if not wrong:
            shutil.rmtree(job.folder)

    def line(self):
        """A line of the table."""
        outs = [
            " + ".join(
                str(n) for (name, _), n in sorted(self.rows_out.items(), reverse=True) if name == query
            )
            for query in QUERIES
        ]
        tally = self.tally
        killed = (self.killed, self.state, tally.kills, tally.restarts, tally.inside, tally.stored)
        return (*killed, self.batches, self.again, self.rows_in, *outs, self.pieces, len(self.differences))


def table(figures):
    """The lines below their titles."""
    rows = [TITLES, ("---",) * len(TITLES), *(each.line() for each in figures)]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)
