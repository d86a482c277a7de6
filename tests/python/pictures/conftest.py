"""Fixtures of the pictures: no window opens, and no figure is left."""

import pytest

import spark_windowing as sw


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib as mpl

    mpl.use("agg")
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


@pytest.fixture
def by_user(clicks):
    return sw.key_by(clicks, "user", time="ts")
