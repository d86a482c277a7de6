"""Errors by which a server of Spark Connect has ended, and those that only sound so."""

import pytest

from spark_windowing._gateway.connect_way import is_gone


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("<_MultiThreadedRendezvous of RPC that terminated with: status = StatusCode.UNAVAILABLE", True),
        ("[INVALID_HANDLE.SESSION_CHANGED] The handle 1 is invalid.", True),
        ("[INVALID_HANDLE.SESSION_NOT_FOUND] The handle 1 is invalid.", True),
        ("failed to connect to all addresses: Connection refused (111)", True),
        ("[RETRIES_EXCEEDED] The maximum number of retries has been exceeded.", True),
        ("[STDS_COMMITTED_BATCH_UNAVAILABLE] No committed batch found", False),
        ("[STDS_OFFSET_LOG_UNAVAILABLE] The offset log for batch 5 does not exist", False),
    ],
)
def test_the_end_of_a_server(text, gone):
    assert is_gone(RuntimeError(text)) == gone
