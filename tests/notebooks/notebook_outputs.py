"""Outputs of the cells of notebooks, as they are kept, and the comparison of those kept with those of a run.

Cells are those of the JSON of a notebook. A cell with the tag `varies` shows times or counts of one run: its outputs
are compared by kind.
"""

import base64
import re
import struct

VARIES = "varies"
PNG = b"\x89PNG\r\n\x1a\n"
LOOKS = 0.1  # fonts differ, and so do the sizes of pictures with texts at their edges


def is_code(cell):
    return cell["cell_type"] == "code"


def varies(cell):
    return VARIES in cell["metadata"].get("tags", [])


def taken_over(kept, ran):
    """The cells kept, with the outputs of those that ran.

    Outputs that vary stay if those of the run are of the same kind, so that a run that finds nothing new changes nothing.
    """
    cells = []
    count = 0
    for cell, other in zip(kept, ran, strict=True):
        if is_code(cell):
            count += 1
            outputs = cleaned(other["outputs"], count)
            if varies(cell) and kinds(cell["outputs"]) == kinds(outputs):
                outputs = cell["outputs"]
            cells.append({**cell, "execution_count": count, "outputs": outputs})
        else:
            cells.append(cell)
    return cells


def cleaned(outputs, count):
    """Outputs without what is of one run alone: times, what was written to stderr, in how many pieces it came."""
    kept = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            if output["name"] == "stderr":
                continue
            if kept and kept[-1]["output_type"] == "stream":
                kept[-1]["text"] += joined(output["text"])
                continue
            kept.append({"output_type": kind, "name": output["name"], "text": joined(output["text"])})
        elif kind == "execute_result":
            kept.append(
                {"output_type": kind, "data": output["data"], "metadata": {}, "execution_count": count}
            )
        else:
            kept.append({"output_type": kind, "data": output["data"], "metadata": {}})
    return kept


def differences(kept, ran):
    """The cells whose outputs differ, each as a text with both."""
    found = []
    for cell, other in zip(kept, ran, strict=True):
        if not is_code(cell):
            continue
        read = kinds if varies(cell) else shown
        before, after = read(cell["outputs"]), read(other["outputs"])
        if not same(before, after):
            found.append(
                f"cell {cell['id']}\n--- kept\n{in_lines(before)}\n--- in the run\n{in_lines(after)}"
            )
    return found


def shown(outputs):
    """Outputs as a reader sees them, pairs of a kind and a text; in place of the bytes of a picture its width and height."""
    pairs = []
    for output in outputs:
        if output["output_type"] == "stream":
            # Spark 3.5 and 4 differ in the empty lines below a table.
            lines = [line for line in joined(output["text"]).splitlines() if line.strip()]
            pairs.append((output["name"], "\n".join(lines)))
        for kind, content in sorted(output.get("data", {}).items()):
            pairs.append((kind, size(content) if kind == "image/png" else joined(content)))
    return pairs


def kinds(outputs):
    """Kinds of outputs; of HTML its elements."""
    return [
        (kind, " ".join(re.findall(r"<(\w+)", content)) if kind == "text/html" else "")
        for kind, content in shown(outputs)
    ]


def same(before, after):
    return [kind for kind, _ in before] == [kind for kind, _ in after] and all(
        close(old, new) if kind == "image/png" else old == new
        for (kind, old), (_, new) in zip(before, after, strict=True)
    )


def close(old, new):
    return all(abs(a - b) <= LOOKS * max(a, b) for a, b in zip(old, new, strict=True))


def size(content):
    """Width and height of a PNG in pixels."""
    picture = base64.b64decode(joined(content))
    if not picture.startswith(PNG):
        raise ValueError(f"a picture that is no PNG: it begins with {picture[:8]!r}")
    return struct.unpack(">II", picture[16:24])


def joined(text):
    """A text that a notebook keeps whole or as a list of lines."""
    return "".join(text)


def in_lines(pairs):
    return "\n".join(f"[{kind}]\n{content}" for kind, content in pairs) or "nothing"
