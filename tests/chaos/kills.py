"""Kills at random moments: of the driver, which then starts again, and of executors while the driver lives on."""

import os
import signal
from dataclasses import dataclass

AT_START = 0.25  # share of kills that do not wait for progress
START = 8  # most seconds from a start to such a kill
LIFE = 4  # most seconds from the first progress to another one


@dataclass
class Tally:
    """What was killed, and when: within a micro-batch, and behind the storing of its state but before it was through."""

    kills: int = 0
    restarts: int = 0
    inside: int = 0
    stored: int = 0


def kill_drivers(job, chance, kills, tally):
    """Start the job, kill it and start it again, until it is through; no more kills than that."""
    end = tally.kills + kills
    job.start()
    while tally.kills < end and _until_a_moment(job, chance, job.runs):
        if not job.kill():
            break
        tally.kills += 1
        tally.inside += job.inside()
        tally.stored += job.written()
        job.start()
        tally.restarts += 1
    job.finish()


def kill_executors(job, cluster, chance, kills, tally):
    """Start the job and kill executors until it is through; no more kills than that."""
    end, before = tally.kills + kills, cluster.started()
    job.start()
    while tally.kills < end and _until_a_moment(job, chance, cluster.executors):
        executors = cluster.executors()
        if executors:
            tally.inside += job.inside()
            tally.stored += job.written()
            os.kill(chance.choice(executors), signal.SIGKILL)
            tally.kills += 1
    job.finish()
    tally.restarts += cluster.started() - before - len(cluster.workers)


def _until_a_moment(job, chance, started):
    """Wait until a moment for a kill; whether the driver still runs."""
    if chance.random() < AT_START:
        return job.wait(started, START) and job.go_on(chance.uniform(0, START))
    return job.wait_for_progress() and job.go_on(chance.uniform(0, LIFE))
