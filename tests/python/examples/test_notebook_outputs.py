"""The comparison of the outputs of notebooks, and what is kept of a run: a change that a reader would see is found."""

import base64
import struct

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from kernel_start import described, start
from notebook_outputs import PNG, cleaned, differences, shown, taken_over


def cell(*outputs, tags=()):
    metadata = {"tags": list(tags)} if tags else {}
    return {"cell_type": "code", "id": "cell-07", "metadata": metadata, "outputs": list(outputs)}


def printed(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def drawn(text, width=1000, height=300):
    header = PNG + b"\0\0\0\rIHDR" + struct.pack(">II", width, height)
    data = {"image/png": base64.b64encode(header).decode(), "text/plain": text}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def view(html):
    return {"output_type": "display_data", "data": {"text/html": html, "text/plain": "17"}, "metadata": {}}


TABLE = "|ann |3|\n|bob |4|\n"
BAR = "picture of 1 axes\naxes\n  window: 0 to 10"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([printed(TABLE)], [printed(TABLE.splitlines(keepends=True))]),
        ([printed(TABLE)], [printed(f"{TABLE}\n\n")]),
        ([drawn(BAR)], [drawn(BAR, 1030, 290)]),
        ([view("<table><td>1</td></table>")], [view("<table><td>1</td></table>")]),
        ([], []),
    ],
)
def test_equal_outputs(before, after):
    assert differences([cell(*before)], [cell(*after)]) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([printed(TABLE)], [printed(TABLE.replace("4", "5"))]),
        ([printed(TABLE)], [printed(TABLE + "|cid |1|\n")]),
        ([printed(TABLE)], []),
        ([], [printed(TABLE)]),
        ([printed(TABLE)], [printed(TABLE, "stderr")]),
        ([drawn(BAR)], [drawn(BAR.replace("10", "20"))]),
        ([drawn(BAR)], [drawn(BAR, 1000, 500)]),
        ([drawn(BAR)], [drawn(BAR), drawn(BAR)]),
        ([view("<td>1</td>")], [view("<td>2</td>")]),
    ],
)
def test_a_changed_output_is_found(before, after):
    (found,) = differences([cell(*before)], [cell(*after)])
    assert found.startswith("cell cell-07\n--- kept\n")


def test_a_difference_shows_both_outputs():
    (found,) = differences([cell(printed("3\n"))], [cell(drawn(BAR))])
    assert (
        found
        == f"cell cell-07\n--- kept\n[stdout]\n3\n--- in the run\n[image/png]\n(1000, 300)\n[text/plain]\n{BAR}"
    )


def test_outputs_that_vary_are_compared_by_kind():
    before = cell(view("<table><td>1</td></table>"), tags=["varies"])
    assert differences([before], [cell(view("<table><td>2</td></table>"))]) == []
    assert len(differences([before], [cell(view("<table><td>2</td><td>3</td></table>"))])) == 1
    assert len(differences([before], [cell(printed("2"))])) == 1
    assert len(differences([before], [cell()])) == 1


def test_what_is_of_one_run_is_not_kept():
    outputs = [
        printed("a\n"),
        printed("WARN\n", "stderr"),
        printed("b\n"),
        {
            "output_type": "execute_result",
            "data": {"text/plain": "7"},
            "metadata": {"at": 1},
            "execution_count": 9,
        },
        {"output_type": "display_data", "data": {"text/plain": "8"}, "metadata": {}, "transient": {"id": 1}},
    ]
    assert cleaned(outputs, 4) == [
        printed("a\nb\n"),
        {"output_type": "execute_result", "data": {"text/plain": "7"}, "metadata": {}, "execution_count": 4},
        {"output_type": "display_data", "data": {"text/plain": "8"}, "metadata": {}},
    ]


def test_a_run_changes_outputs_and_counts_alone():
    text = {"cell_type": "markdown", "id": "cell-00", "metadata": {}, "source": "# Title"}
    kept = [text, {**cell(printed("1\n")), "source": "f()", "execution_count": None}]
    ran = [
        text,
        {**cell(printed("2\n")), "source": "f()", "execution_count": 5, "metadata": {"execution": {}}},
    ]
    assert taken_over(kept, ran) == [text, {**kept[1], "execution_count": 1, "outputs": [printed("2\n")]}]


def test_outputs_that_vary_stay_as_long_as_their_kind_does():
    kept = [cell(view("<td>1</td>"), tags=["varies"])]
    assert taken_over(kept, [cell(view("<td>2</td>"))])[0]["outputs"] == [view("<td>1</td>")]
    assert taken_over(kept, [cell(view("<p>2</p>"))])[0]["outputs"] == [view("<p>2</p>")]


def test_a_picture_must_be_a_png():
    output = drawn(BAR)
    output["data"]["image/png"] = base64.b64encode(b"<svg></svg>").decode()
    with pytest.raises(ValueError, match="a picture that is no PNG: it begins with b'<svg></s'"):
        shown([output])


def picture(end=10, color="blue", text="n=2"):
    figure = Figure()
    axes = figure.add_subplot()
    axes.set_xlim(0, 20)
    axes.set_xticks([0, 20])
    axes.set_yticks([])
    axes.add_patch(Rectangle((0, 0), end, 1, color=color, gid="window"))
    axes.plot([3, float("nan"), 5], [0, 1, 2], gid="watermark")
    axes.plot([4], [1])
    axes.fill_betweenx([0, 1], 2, 6, gid="past")
    axes.annotate("", xy=(7, 0), xytext=(7, 1), arrowprops={}).set_gid("merge")
    axes.text(1, 0.5, text)
    figure.text(0, 0, "below all")
    return figure


def test_a_picture_says_what_it_shows():
    assert described(picture()).splitlines() == [
        "picture of 1 axes",
        "axes",
        "  merge: 7",
        "  past: 2 to 6",
        "  watermark: 3 to 5",
        "  window: 0 to 10",
        "  other lines: 1",
        "  texts: n=2 | 0 | 20",
        "texts: below all",
    ]


def test_a_picture_of_something_else_says_something_else():
    assert described(picture(end=11)) != described(picture())
    assert described(picture(text="n=3")) != described(picture())
    assert described(picture(color="red")) == described(picture())


def test_a_kernel_of_another_python_is_refused():
    with pytest.raises(RuntimeError, match=r"the kernel python3 runs .+, and not /other/python"):
        start("/other/python")
