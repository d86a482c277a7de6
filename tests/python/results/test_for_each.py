"""for_each_output over a batch that notes what is done with it."""

import pytest

import spark_windowing as sw


class Batch:
    columns = ("output", "main", "late")

    def __init__(self):
        self.log = []

    def persist(self):
        self.log.append("persist")
        return self

    def count(self):
        self.log.append("count")

    def unpersist(self):
        self.log.append("unpersist")


@pytest.fixture
def batch(monkeypatch):
    monkeypatch.setattr(
        "spark_windowing._results.for_each._rows_of", lambda batch, output: f"rows of {output}"
    )
    return Batch()


def test_each_output_goes_to_its_function_in_a_batch_computed_once(batch):
    sw.for_each_output(
        late=lambda rows, batch_id: batch.log.append((rows, batch_id)),
        main=lambda rows, batch_id: batch.log.append((rows, batch_id)),
    )(batch, 7)
    assert batch.log == ["persist", "count", ("rows of late", 7), ("rows of main", 7), "unpersist"]


def test_the_batch_is_let_go_when_a_function_fails(batch):
    def fail(rows, batch_id):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sw.for_each_output(main=fail)(batch, 0)
    assert batch.log == ["persist", "count", "unpersist"]


def test_a_dict_serves_tags_that_are_no_python_names(batch):
    batch.columns = ("output", "main", "late data")
    sw.for_each_output({"late data": lambda rows, batch_id: batch.log.append(rows)})(batch, 0)
    assert "rows of late data" in batch.log


def test_unknown_outputs_are_refused_naming_those_that_exist(batch):
    with pytest.raises(ValueError, match="no output lat; the outputs are main, late"):
        sw.for_each_output(lat=print)(batch, 0)
    assert batch.log == []


def test_a_result_that_is_not_wide_is_refused(batch):
    batch.columns = ("user", "window", "clicks")
    with pytest.raises(ValueError, match=r"works on sw.all_outputs\(result\)"):
        sw.for_each_output(main=print)(batch, 0)


def test_functions_are_checked_when_they_are_given():
    with pytest.raises(ValueError, match="needs a function"):
        sw.for_each_output()
    with pytest.raises(ValueError, match="two functions for main"):
        sw.for_each_output({"main": print}, main=print)
    with pytest.raises(TypeError, match="late must be a function"):
        sw.for_each_output(late="late")
