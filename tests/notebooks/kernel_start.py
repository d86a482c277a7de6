"""Start of a kernel that runs a notebook of `examples`: its pictures say in text what they show.

`notebooks.py` runs the text of this file before the first cell, in names of its own.
"""

import math
import sys
from itertools import groupby


def start(executable):
    """Set up the kernel, which must run this Python."""
    from matplotlib.figure import Figure

    if sys.executable != executable:
        raise RuntimeError(f"the kernel python3 runs {sys.executable}, and not {executable}")
    # A formatter for the type would be removed when pyplot starts.
    Figure._repr_pretty_ = lambda figure, printer, _: printer.text(described(figure))


def described(figure):
    """A picture in lines of text: its parts by name with their place on the horizontal axis, and its texts.

    Colours, fonts, sizes and vertical places are left out: they are looks.
    """
    figure.draw_without_rendering()  # the axes write their texts when they are drawn
    lines = [f"picture of {len(figure.axes)} axes"]
    for axes in figure.axes:
        lines.append("axes")
        lines += [f"  {line}" for line in [*parts(axes), *texts([axes])]]
    return "\n".join([*lines, *texts([*figure.texts, *figure.legends])])


def parts(axes):
    """Lines, bars and areas of axes: those of one name in one line, of those without a name how many there are."""
    from matplotlib.text import Annotation

    arrows = [text for text in axes.texts if isinstance(text, Annotation) and not text.get_text()]
    drawn = [*axes.lines, *axes.patches, *axes.collections, *arrows]
    named = sorted((artist for artist in drawn if artist.get_gid()), key=lambda artist: artist.get_gid())
    for name, artists in groupby(named, lambda artist: artist.get_gid()):
        yield f"{name}: {', '.join(map(extent, artists))}"
    for kind in ("lines", "patches", "collections"):
        count = sum(not artist.get_gid() for artist in getattr(axes, kind))
        if count:
            yield f"other {kind}: {count}"


def extent(artist):
    """Begin and end of an artist on the horizontal axis; of an arrow the place that it points to."""
    if hasattr(artist, "get_xdata"):
        places = [float(x) for x in artist.get_xdata()]
    elif hasattr(artist, "get_width"):
        places = [artist.get_x(), artist.get_x() + artist.get_width()]
    elif hasattr(artist, "get_paths"):
        places = [x for path in artist.get_paths() for x, _ in path.vertices]
    else:
        places = [artist.xy[0]]
    places = [place for place in places if not math.isnan(place)]
    if not places:
        return "nowhere"
    first, last = f"{min(places):.0f}", f"{max(places):.0f}"
    return first if first == last else f"{first} to {last}"


def texts(artists):
    """Texts that can be seen: titles, labels, ticks, texts in the picture, legends."""
    from matplotlib.text import Text

    found = [text for artist in artists for text in artist.findobj(Text) if text.get_visible()]
    seen = [text.get_text().replace("\n", " ") for text in found if text.get_text().strip()]
    return [f"texts: {' | '.join(seen)}"] if seen else []
