"""What the pipeline has left in Redis, read back as a dashboard would."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import redis

ROWS = 8


def counts(client: redis.Redis) -> Counter[tuple[str, int]]:
    """Return the vehicles by toll gate and start of window in epoch ms."""
    windows = client.zrange("windows", 0, -1, withscores=True)
    pipeline = client.pipeline(transaction=False)
    for key, _ in windows:
        pipeline.hgetall(key)
    hashes = zip(windows, pipeline.execute(), strict=True)
    return Counter({(gate, int(start)): int(n) for (_, start), gates in hashes for gate, n in gates.items()})


def not_counted(client: redis.Redis) -> list[dict[str, Any]]:
    """Return what no window took: why, its toll gate and window if it has them, and the message."""
    return [json.loads(row) for row in client.hvals("not_counted")]


def print_busiest(client: redis.Redis) -> None:
    """Print the windows with the most vehicles, and why others were not counted."""
    windows: dict[int, Counter[str]] = {}
    for (gate, start), vehicles in counts(client).items():
        windows.setdefault(start, Counter())[gate] = vehicles
    print("\nThe busiest windows of 10 seconds, as they stand in Redis")
    for start, gates in sorted(windows.items(), key=lambda item: (-item[1].total(), item[0]))[:ROWS]:
        most = ", ".join(f"{gate} {vehicles}" for gate, vehicles in gates.most_common(6))
        print(f"  {datetime.fromtimestamp(start / 1000, timezone.utc):%F %T} {gates.total():>4}   {most}")
    reasons = Counter(row["reason"] for row in not_counted(client))
    print("Not counted: " + ", ".join(f"{n:,} {reason}" for reason, n in reasons.most_common()))
