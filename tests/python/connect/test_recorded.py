"""The message of a client of Spark Connect: its calls in order, each once."""

import json

import pytest

from spark_windowing._gateway.recorded import SESSION, Call, Message, OneColumn, Rows, Tagged


def message(result):
    return json.loads(Message(result).json())


def test_a_call_that_is_used_twice_is_made_once_and_before_its_use():
    part = Call(None, "make", ("A", "of", [Tagged("ms", 5)]))
    stream = Call(None, "keyBy", (Rows("df"), [OneColumn("key")], None, "late"))
    read = message(Call(Call(stream, "trigger", (part,)), "evictor", (part,)))
    assert [call["method"] for call in read["calls"]] == ["keyBy", "make", "trigger", "evictor"]
    assert read["calls"][0]["arguments"] == [{"frame": 0}, {"list": [{"column": 0}]}, None, "late"]
    assert read["calls"][1]["arguments"][2] == {"list": [{"ms": 5}]}
    assert [call.get("on") for call in read["calls"]] == [None, None, 0, 2]
    assert read["calls"][3]["arguments"] == [{"call": 1}]
    assert read["result"] == {"call": 3}


def test_frames_and_columns_are_numbered_in_order():
    one, two = Rows("one"), Rows("two")
    made = Message(Call(None, "m", (one, two, one, OneColumn("c"))))
    assert (made.frames, made.columns) == (["one", "two"], ["c"])
    (call,) = json.loads(made.json())["calls"]
    assert call["arguments"] == [{"frame": 0}, {"frame": 1}, {"frame": 0}, {"column": 0}]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, True),
        (3, 3),
        ("text", "text"),
        (None, None),
        (0.1, {"real": "0.1"}),
        (float("nan"), {"real": "NaN"}),
        (float("-inf"), {"real": "-Infinity"}),
        ((1, [2]), {"list": [1, {"list": [2]}]}),
        (SESSION, {"session": True}),
    ],
)
def test_values(value, written):
    assert message(value)["result"] == written


def test_a_value_that_cannot_be_sent_is_refused():
    with pytest.raises(TypeError, match="cannot be sent to a server of Spark Connect: give numbers"):
        Message(Call(None, "m", (object(),)))
