"""Steps of the runs that are drawn, and what a picture shows of them."""

from collections import Counter

from pyspark.sql import functions as F

from spark_windowing import sim


def count():
    return F.count("*").alias("n")


def at(second, user="a", price=1):
    return sim.element(user=user, price=price, ts=second * 1000)


def until(second):
    return sim.watermark(second * 1000 - 1)


def window(start, end):
    return (start * 1000, end * 1000)


def shown(ax):
    """Count what is drawn, by kind; a legend is no part of it."""
    return Counter(a.get_gid() for a in [*ax.patches, *ax.lines, *ax.texts] if a.get_gid())


def texts(ax):
    return [text.get_text() for text in ax.texts]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]
