"""The factory calls of tests/scenarios/arguments.yaml: what is taken, and what the error says."""

import pytest

from scenarios import arguments, make_part


@pytest.mark.parametrize("case", arguments(), ids=lambda case: str(case["make"]))
def test_factory_call(case):
    if case.get("ok"):
        assert make_part(case["make"])
    else:
        with pytest.raises((TypeError, ValueError)) as error:
            make_part(case["make"])
        assert case["error"] in str(error.value)
