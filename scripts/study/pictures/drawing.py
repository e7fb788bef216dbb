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
    "lines.markersize": 4.2,
}
WIDTH = 9.6  # inches
PANEL_HEIGHT = {1: 5.2, 2: 3.9}  # by the columns; 3.1 for more
CELL_HEIGHT = 0.21
WORDS_PER_INCH = 4.5  # on an X axis, if they are not steep
MOST_COLOUR = 4.0  # a ratio from which, or from whose inverse, a cell's colour does not change


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
        from matplotlib import pyplot, ticker
        matplotlib.rcParams.update(matplotlib.rcParamsDefault)
        matplotlib.rcParams.update(STYLE)
        self.pyplot = pyplot
        self.ticker = ticker

    def draw(self, picture: Picture, path: Path, dpi: Optional[int] = None) -> None:
        columns = picture.columns
        rows = -(-len(picture.panels) // columns)
        cells = max(len(panel.series) if panel.kind == "heat" else 0 for panel in picture.panels)
        panel_height = CELL_HEIGHT * cells + 0.6 if cells else PANEL_HEIGHT.get(columns, 3.1)
        height = rows * panel_height + 1.25
        figure, axes = self.pyplot.subplots(rows, columns, figsize=(WIDTH, height), squeeze=False)
        flat = [axis for line in axes for axis in line]
        for axis, panel in zip(flat, picture.panels):
            self._draw_panel(axis, panel, labels_lines=len(picture.panels) == 1)
        for axis in flat[len(picture.panels):]:
            axis.set_visible(False)
        self._share_labels(flat[:len(picture.panels)], columns)
        figure.text(0.012, 1 - 0.10 / height, picture.title, fontsize=13, fontweight="bold",
                    va="top")
        figure.text(0.012, 1 - 0.36 / height, picture.note, fontsize=8, color="#666666", va="top")
        legend_height = self._legend(figure, flat, picture, height)
        figure.tight_layout(rect=(0, legend_height / height, 1, 1 - 0.58 / height), w_pad=1.4,
                            h_pad=1.4)
        drawn = io.BytesIO()
        is_svg = path.suffix == ".svg"
        # Without a date, and with ids that depend on the content alone.
        figure.savefig(drawn, format=path.suffix[1:], dpi=dpi, metadata={
            "Date": None, "Title": picture.title,
            "Description": f"{picture.caption} {SHOWN}{picture.digest()}"} if is_svg else None)
        self.pyplot.close(figure)
        write_bytes(path, sealed(small(drawn.getvalue())) if is_svg else drawn.getvalue())

    def _draw_panel(self, axis, panel: Panel, labels_lines: bool) -> None:
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
        if labels_lines and panel.kind == "lines" and panel.x_scale == "log2":
            self._label_ends(axis, panel)

    def _lines(self, axis, panel: Panel) -> None:
        if panel.line_at is not None:
            axis.axhline(panel.line_at, color=CEILING, linewidth=1.0, zorder=1)
        for series in panel.series:
            if not series.y:
                continue
            if series.style < 0:
                axis.plot(series.x, series.y, color=CEILING, linestyle=":", linewidth=1.6,
                          label=series.label, zorder=1.5)
                continue
            colour, marker = look(series)
            if series.hollow:
                axis.plot(series.x, series.y, linestyle="none", marker=marker, markersize=6.5,
                          markerfacecolor="none", markeredgecolor=colour)
                continue
            # Lines join sizes and shares; between two words there is nothing.
            line = ("none" if panel.x_scale == "words" else (0, (4, 2)) if series.host else "-")
            axis.plot(series.x, series.y, color=colour, marker=marker, label=series.label,
                      linestyle=line, markeredgecolor=BACKGROUND, markeredgewidth=0.4)
            if series.low:
                axis.fill_between(series.x, series.low, series.high, color=colour, alpha=0.18,
                                  linewidth=0)

    def _stack(self, axis, panel: Panel) -> None:
        base = [0.0] * len(panel.series[0].x)
        positions = range(len(base))
        for series, colour in zip(panel.series, PHASES):
            axis.bar(positions, series.y, 0.66, bottom=base, color=colour, label=series.label)
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
            axis.text(i, value + 0.015 * largest, f"{value:.3g}", ha="center", va="bottom",
                      fontsize=8)
        if panel.line_at is not None:
            axis.axhline(panel.line_at, color=COLOURS[2], linewidth=1.3)
        self._words(axis, series.x)
        axis.set_ylim(0, 1.1 * largest)
        axis.grid(False, axis="x")

    def _heat(self, axis, panel: Panel) -> None:
        most = math.log2(MOST_COLOUR)
        colours = [[math.nan if ratio is None else math.log2(ratio) for ratio in series.y]
                   for series in panel.series]
        axis.imshow(colours, aspect="auto", cmap="RdBu", vmin=-most, vmax=most)
        for line, series in enumerate(panel.series):
            for column, ratio in enumerate(series.y):
                if ratio is not None:
                    is_dark = abs(math.log2(ratio)) > 0.65 * most
                    axis.text(column, line, f"{ratio:.2f}", ha="center", va="center", fontsize=7.5,
                              color="white" if is_dark else INK)
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
        elif panel.x_scale == "words":
            self._words(axis, next(series.x for series in panel.series if not series.y))

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
        text = time_text if panel.y_scale == "seconds" else "{:g}".format
        axis.yaxis.set_major_formatter(self.ticker.FuncFormatter(lambda y, _: text(y)))

    def _label_ends(self, axis, panel: Panel) -> None:
        """Names at the lines' ends, moved apart where they would overlap."""
        left, right = axis.get_xlim()
        axis.set_xlim(left, right)
        wanted = []
        for series in panel.series:
            if series.y:
                x, y = axis.transData.transform((series.x[-1], series.y[-1]))
                wanted.append([axis.transAxes.inverted().transform((x, y))[1], series])
        wanted.sort(key=lambda item: item[0])
        gap = 0.034
        heights = [height for height, _ in wanted]
        for i in range(1, len(heights)):
            heights[i] = max(heights[i], heights[i - 1] + gap)
        overflow = heights[-1] - 1.0 if heights else 0
        if overflow > 0:  # push the topmost ones down again
            heights[-1] = 1.0
            for i in range(len(heights) - 2, -1, -1):
                heights[i] = min(heights[i], heights[i + 1] - gap)
        for height, (_, series) in zip(heights, wanted):
            colour, marker = look(series)
            axis.plot([1.022], [height], marker=marker if series.style >= 0 else "none",
                      color=colour, markersize=4.5, transform=axis.transAxes, clip_on=False,
                      linestyle="none")
            axis.text(1.036, height, series.label, color=colour, fontsize=8.5, va="center",
                      transform=axis.transAxes)

    def _share_labels(self, axes, columns: int) -> None:
        """A label that the panel to the left, or below, has too is left out."""
        labels = [(axis.get_xlabel(), axis.get_ylabel()) for axis in axes]
        for i, axis in enumerate(axes):
            if i % columns and labels[i][1] == labels[i - 1][1]:
                axis.set_ylabel("")
            if i + columns < len(axes) and labels[i][0] == labels[i + columns][0]:
                axis.set_xlabel("")

    def _legend(self, figure, axes, picture: Picture, height: float) -> float:
        """One for all panels, below them. Returns the inches that it takes."""
        if len(picture.panels) == 1 and picture.panels[0].kind == "lines":
            return 0.0
        entries = {}
        for axis in axes:
            for handle, label in zip(*axis.get_legend_handles_labels()):
                entries.setdefault(label, handle)
        if not entries:
            return 0.0
        order = {series.label: series.style
                 for panel in picture.panels for series in panel.series}
        labels = sorted(entries, key=lambda label: (order[label] < 0, order[label]))
        columns = min(len(entries), 6)
        lines = -(-len(entries) // columns)
        figure.legend([entries[label] for label in labels], labels, loc="lower center",
                      ncol=columns, bbox_to_anchor=(0.5, 0.04 / height), borderaxespad=0,
                      fontsize=8.5, handlelength=2.6, columnspacing=1.8)
        return 0.12 + 0.2 * lines


def look(series: Series) -> tuple[str, str]:
    if series.style < 0:
        return CEILING, ""
    # Behind the last colour come the first again, with other markers.
    lap, colour = divmod(series.style, len(COLOURS))
    return COLOURS[colour], MARKERS[(colour + lap) % len(MARKERS)]
