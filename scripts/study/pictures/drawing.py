"""Draws pictures."""
from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Optional, Sequence

from study.command_line import ExitCode, ScriptError
from study.pictures.labels import power
from study.pictures.picture import Panel, Picture, Series
from study.pictures.seal import SHOWN, sealed
from study.pictures.small_svg import INK, small
from study.results_files import write_bytes

# Told apart in print, on a screen and by people who do not see all colours: dark enough for a
# light background, no two neighbours of the same lightness, and a marker for each.
COLOURS = ("#222222", "#0072B2", "#D55E00", "#009E73", "#AA3377", "#B8860B", "#56A0D3", "#882255",
           "#6B8E23", "#7B5EA7", "#A0522D", "#4D7A7A", "#E0559B", "#1B3A8C")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "*", "p", "d", "8")
CEILING = "#8a8a8a"
PHASES = ("#56A0D3", "#0072B2", "#E69F00")
BACKGROUND = "#ffffff"
GRID = "#dddddd"

STYLE = {
    "svg.hashsalt": "stream_compaction", "svg.fonttype": "none", "font.family": "DejaVu Sans",
    "font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9, "axes.edgecolor": "#9a9a9a",
    "axes.labelcolor": INK, "axes.titlecolor": INK, "text.color": INK, "xtick.color": INK,
    "ytick.color": INK, "xtick.labelsize": 8, "ytick.labelsize": 8, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.6,
    "axes.axisbelow": True, "figure.facecolor": BACKGROUND, "axes.facecolor": BACKGROUND,
    "savefig.facecolor": BACKGROUND, "legend.frameon": False, "lines.linewidth": 1.4,
    "lines.markersize": 4.2, "text.parse_math": False,  # names may have a $
}
WIDTH = 9.6  # inches
PANEL_HEIGHT = {1: 5.2, 2: 3.3}  # by the columns; 3.1 for more
CELL_HEIGHT = 0.21
WORDS_PER_INCH = 4.5  # on an X axis, if they are not steep
MOST_COLOUR = 4.0  # a ratio from which, or from whose inverse, a cell's colour does not change
HATCHES = 6  # lines of a cell
CELL_PIXELS = (8, 32)  # lines and columns
LABEL_GAP = 9.4  # between direct labels, in points
LABEL_AT = 9.0  # their markers right of the panel, in points
LEAST_LEADER = 4.0  # a label that is nearer to the end of its line needs no line to it


def time_text(seconds: float) -> str:
    """0.00001 -> '10 µs'."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.9999:
            return f"{seconds / size:g} {unit}"
    return f"{seconds * 1e9:g} ns"


class Drawing:
    """A picture on its way to paper. Imports matplotlib, which --check can do without."""

    def __init__(self):
        try:
            import matplotlib
        except ImportError as error:
            reason = str(error).strip().rpartition("\n")[2]  # numpy's are pages
            raise ScriptError(f"drawing needs matplotlib: install python3-matplotlib ({reason})",
                              ExitCode.USAGE) from error
        matplotlib.use("Agg")
        from matplotlib import pyplot, ticker, transforms
        matplotlib.rcParams.update(matplotlib.rcParamsDefault)
        matplotlib.rcParams.update(STYLE)
        self.pyplot = pyplot
        self.ticker = ticker
        self.transforms = transforms

    def draw(self, picture: Picture, path: Path, dpi: Optional[int] = None) -> None:
        columns = picture.columns
        rows = -(-(len(picture.panels) + (columns - 1 if picture.wide_first else 0)) // columns)
        cells = max(len(panel.series) if panel.kind == "heat" else 0 for panel in picture.panels)
        panel_height = CELL_HEIGHT * cells + 0.6 if cells else PANEL_HEIGHT.get(columns, 3.1)
        height = rows * panel_height + 1.25
        figure = self.pyplot.figure(figsize=(WIDTH, height))
        grid = figure.add_gridspec(rows, columns)
        axes = [figure.add_subplot(place) for place in places(grid, picture)]
        for axis, panel in zip(axes, picture.panels):
            self._draw_panel(axis, panel)
        if not picture.wide_first:
            self._share_labels(axes, columns)
        labels = [self._labels(axis, panel) for axis, panel in zip(axes, picture.panels)]
        figure.text(0.012, 1 - 0.10 / height, picture.title, fontsize=13, fontweight="bold",
                    va="top")
        figure.text(0.012, 1 - 0.36 / height, picture.note, fontsize=8, color="#666666", va="top")
        figure.tight_layout(rect=(0, 0, 1, 1 - 0.58 / height), w_pad=1.4, h_pad=1.4)
        for axis, panel, texts in zip(axes, picture.panels, labels):
            self._place_labels(axis, panel, texts)
        drawn = io.BytesIO()
        is_svg = path.suffix == ".svg"
        # Without a date, and with ids that depend on the content alone.
        figure.savefig(drawn, format=path.suffix[1:], dpi=dpi, metadata={
            "Date": None, "Title": picture.title,
            "Description": f"{picture.caption} {SHOWN}{picture.digest()}"} if is_svg else None)
        self.pyplot.close(figure)
        write_bytes(path, sealed(small(drawn.getvalue())) if is_svg else drawn.getvalue())

    def _draw_panel(self, axis, panel: Panel) -> None:
        if panel.title:
            axis.set_title(panel.title, loc="left")
        axis.set_xlabel(panel.x_label)
        axis.set_ylabel(panel.y_label)
        if panel.kind == "stack":
            self._stack(axis, panel)
        elif panel.kind == "bars":
            self._bars(axis, panel)
        elif panel.kind == "heat":
            self._heat(axis, panel)
        else:
            self._lines(axis, panel)
            self._scale_y(axis, panel)
            self._scale_x(axis, panel)
        if panel.y_limits and panel.kind == "lines":
            axis.set_ylim(*panel.y_limits)

    def _lines(self, axis, panel: Panel) -> None:
        if panel.line_at is not None:
            axis.axhline(panel.line_at, color=CEILING, linewidth=1.0, zorder=1)
        for series in panel.series:
            if not series.y:
                continue
            if series.style < 0:
                axis.plot(series.x, series.y, color=CEILING, linestyle=":", linewidth=1.6, zorder=1.5)
                continue
            colour, marker = look(series)
            if series.hollow:
                axis.plot(series.x, series.y, linestyle="none", marker=marker, markersize=6.5,
                          markerfacecolor="none", markeredgecolor=colour)
                continue
            line = (0, (4, 2)) if series.host else "-"
            axis.plot(series.x, series.y, color=colour, marker=marker, linestyle=line,
                      markeredgecolor=BACKGROUND, markeredgewidth=0.4)
            if series.low:
                axis.fill_between(series.x, series.low, series.high, color=colour, alpha=0.18,
                                  linewidth=0)

    def _stack(self, axis, panel: Panel) -> None:
        base = [0.0] * len(panel.series[0].x)
        positions = range(len(base))
        for series, colour in zip(panel.series, PHASES):
            axis.bar(positions, series.y, 0.66, bottom=base, color=colour)
            for i, share in enumerate(series.y):
                if share >= 6:
                    axis.text(i, base[i] + share / 2, f"{share:.0f}", ha="center", va="center",
                              color="white" if colour == PHASES[1] else "black", fontsize=8)
            base = [low + share for low, share in zip(base, series.y)]
        self._words(axis, panel.series[0].x)
        axis.set_ylim(0, 100)
        axis.grid(False, axis="x")

    def _bars(self, axis, panel: Panel) -> None:
        series = panel.series[0]
        axis.bar(range(len(series.x)), series.y, 0.62, color=COLOURS[1])
        largest = max(series.y)
        for i, value in enumerate(series.y):
            text = f"{value:.0f}" if value >= 100 else f"{value:.3g}"
            axis.text(i, value + 0.015 * largest, text, ha="center", va="bottom", fontsize=8)
        if panel.line_at is not None:
            axis.axhline(panel.line_at, color=COLOURS[2], linewidth=1.3)
            axis.text(len(series.x) - 0.6, panel.line_at + 0.09 * largest, panel.line_label, ha="right",
                      color=COLOURS[2], fontsize=8.5)
        self._words(axis, series.x)
        axis.set_ylim(0, 1.1 * largest)
        axis.grid(False, axis="x")

    def _heat(self, axis, panel: Panel) -> None:
        most = math.log2(MOST_COLOUR)
        colours = [[math.nan if ratio is None else math.log2(ratio) for ratio in series.y]
                   for series in panel.series]
        lines, columns = CELL_PIXELS
        axis.imshow([[colour for colour in line for _ in range(columns)] for line in colours
                     for _ in range(lines)], aspect="auto", cmap="RdBu", vmin=-most, vmax=most,
                    interpolation="none", extent=(-0.5, len(colours[0]) - 0.5, len(colours) - 0.5, -0.5))
        for line, series in enumerate(panel.series):
            for column, ratio in enumerate(series.y):
                if ratio is not None:
                    is_dark = abs(math.log2(ratio)) > 0.65 * most
                    axis.text(column, line, f"{ratio:.2f}", ha="center", va="center", fontsize=7.5,
                              color="white" if is_dark else INK)
        hatched = [(column, line) for line, series in enumerate(panel.series)
                   for column, ratio in enumerate(series.y) if ratio is None]
        axis.plot(*hatch(hatched), color=CEILING, linewidth=0.6)
        axis.set_xticks(range(len(panel.series[0].x)), panel.series[0].x)
        axis.set_yticks(range(len(panel.series)), [series.label for series in panel.series])
        axis.grid(False)

    def _words(self, axis, words: Sequence[str]) -> None:
        inches = axis.get_window_extent().width / axis.figure.dpi
        angle = 35 if len(words) < WORDS_PER_INCH * inches else 65  # else they overlap
        axis.set_xticks(range(len(words)))
        axis.set_xticklabels(words, rotation=angle, ha="right", rotation_mode="anchor")

    def _scale_x(self, axis, panel: Panel) -> None:
        if panel.x_scale == "log2":
            axis.set_xscale("log", base=2)
            values = [x for series in panel.series for x in series.x]
            span = max(values).bit_length() - min(values).bit_length() if values else 1
            is_small = values and max(values) <= 4096  # block sizes are read as numbers
            step = 1 if is_small or span <= 8 else 4 if span > 16 else 2
            first = min(values).bit_length() - 1 if values else 0
            ticks = [1 << k for k in range(first + -first % step, 41, step)
                     if values and 1 << k <= max(values)]
            axis.xaxis.set_major_locator(self.ticker.FixedLocator(ticks))
            axis.xaxis.set_minor_locator(self.ticker.NullLocator())
            text = "{:g}".format if is_small else lambda x: power(int(x))
            axis.xaxis.set_major_formatter(self.ticker.FuncFormatter(lambda x, _: text(x)))
            if is_small:
                axis.tick_params(axis="x", labelsize=7)

    def _scale_y(self, axis, panel: Panel) -> None:
        if panel.y_scale == "linear":
            if panel.line_at != 1.0:
                axis.set_ylim(bottom=0)
            return
        axis.set_yscale("log")
        low, high = axis.get_ylim()
        decades = math.log10(high / low)
        wanted = ((1.0,) if decades > 3 else (1.0, 2.0, 5.0) if decades > 1.1 else
                  (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0) if decades > 0.4 else
                  tuple(1 + 0.25 * i for i in range(36)))
        axis.yaxis.set_major_locator(self.ticker.LogLocator(subs=wanted, numticks=30))
        axis.yaxis.set_minor_formatter(self.ticker.NullFormatter())
        axis.yaxis.set_minor_locator(self.ticker.LogLocator(subs=range(2, 10), numticks=60)
                                     if decades > 3 else self.ticker.NullLocator())
        text = (time_text if panel.y_scale == "seconds" else
                lambda y: f"{y:,.0f}" if y >= 1000 else f"{y:g}")
        axis.yaxis.set_major_formatter(self.ticker.FuncFormatter(lambda y, _: text(y)))

    def _labels(self, axis, panel: Panel) -> list:
        """The names of a panel's lines, or of a bar's parts, in their order, with room for them right
        of the panel; not yet at their heights."""
        is_stack = panel.kind == "stack"
        return [axis.annotate(series.label, (1, 0.5), (0 if is_stack else LABEL_AT + 4.5, 0),
                              xycoords="axes fraction", textcoords="offset points", va="center",
                              fontsize=8, color=INK if is_stack else look(series)[0])
                for series in labelled(panel)]

    def _place_labels(self, axis, panel: Panel, texts: list) -> None:
        """Moves each name to the height of its line's end, and apart from the others."""
        if not texts:
            return
        box, point = axis.get_window_extent(), axis.figure.dpi / 72
        limits = axis.get_xlim(), axis.get_ylim()
        base = 0.0
        ends = []
        for series in labelled(panel):
            if panel.kind == "stack":
                end = len(series.x) - 1 + 0.33, base + series.y[-1] / 2
                base += series.y[-1]
            else:
                end = series.x[-1], series.y[-1]
            x, y = axis.transData.transform(end)
            ends.append(((x - box.x1) / point, min(max((y - box.y0) / point, 0), box.height / point), series))
        heights = apart([y for _, y, _ in ends], LABEL_GAP, box.height / point)
        own = (self.transforms.Affine2D().scale(1 / 72) + axis.figure.dpi_scale_trans
               + self.transforms.ScaledTranslation(1, 0, axis.transAxes))  # points from the corner
        for (x, y, series), height, text in zip(ends, heights, texts):
            text.xy = (1, height * point / box.height)
            colour, marker = look(series)
            if panel.kind == "stack":
                continue
            if abs(y - height) > LEAST_LEADER or x < -0.1 * box.width / point:
                axis.plot([x, LABEL_AT - (2.5 if marker else -2.0)], [y, height], color=colour,
                          linewidth=0.5, transform=own, clip_on=False)
            if marker:
                axis.plot([LABEL_AT], [height], marker=marker, color=colour, linestyle="none",
                          markeredgecolor=BACKGROUND, markeredgewidth=0.4, transform=own, clip_on=False)
        axis.set_xlim(limits[0])
        axis.set_ylim(limits[1])

    def _share_labels(self, axes, columns: int) -> None:
        """A label that the panel to the left, or below, has too is left out."""
        labels = [(axis.get_xlabel(), axis.get_ylabel()) for axis in axes]
        for i, axis in enumerate(axes):
            if i % columns and labels[i][1] == labels[i - 1][1]:
                axis.set_ylabel("")
            if i + columns < len(axes) and labels[i][0] == labels[i + columns][0]:
                axis.set_xlabel("")


def places(grid, picture: Picture) -> list:
    """The cells of the panels: line by line, but the first may have a line of its own."""
    count, columns = len(picture.panels), picture.columns
    if not picture.wide_first:
        return [grid[i // columns, i % columns] for i in range(count)]
    return [grid[0, :]] + [grid[1 + i // columns, i % columns] for i in range(count - 1)]


def labelled(panel: Panel) -> list[Series]:
    """The series whose names stand right of a panel, and the grey line, if it has a name."""
    if panel.kind not in ("lines", "stack"):
        return []
    shown = [series for series in panel.series if series.y and not series.hollow]
    if panel.line_label and shown:
        shown.append(Series(panel.line_label, (max(x for one in shown for x in one.x),), (panel.line_at,),
                            style=-1))
    return shown


def apart(wanted: Sequence[float], gap: float, most: float) -> list[float]:
    """Heights with at least this gap between them, in the order of the wanted ones and near to them:
    the sum of squared distances is the smallest. Between 0 and most, if there is room."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    groups: list[list[float]] = []  # without gaps, heights rise: groups of equal ones, sum and count
    for i, at in enumerate(order):
        groups.append([wanted[at] - i * gap, 1])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, count = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += count
    level = [total / count for total, count in groups for _ in range(int(count))]
    highest = max(0.0, most - (len(wanted) - 1) * gap)
    placed = [0.0] * len(wanted)
    for i, at in enumerate(order):
        placed[at] = min(max(level[i], 0.0), highest) + i * gap
    return placed


def hatch(cells: Sequence[tuple[int, int]]) -> tuple[list[float], list[float]]:
    """Slanted lines in cells of a heat map, with a gap after each."""
    xs, ys = [], []
    for column, line in cells:
        for i in range(HATCHES):
            left = column - 0.5 + i / HATCHES
            xs += [left, left + 1 / HATCHES, math.nan]
            ys += [line + 0.5, line - 0.5, math.nan]
    return xs, ys


def look(series: Series) -> tuple[str, str]:
    if series.style < 0:
        return CEILING, ""
    # Behind the last colour come the first again, with other markers.
    lap, colour = divmod(series.style, len(COLOURS))
    return COLOURS[colour], MARKERS[(colour + lap) % len(MARKERS)]
