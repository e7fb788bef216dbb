"""Draws a diagram as SVG text: small, and the same on every machine."""
from __future__ import annotations

import math
from html import escape

from study.diagrams import Arrow, Cell, Diagram

COLUMN, LINE = 58, 62           # distances of cells, in pixels
WIDTH, HEIGHT = 44, 24          # of a cell
LEFT, TOP = 112, 44             # of the first cell
FILLS = {"plain": "#ffffff", "new": "#d6e8f5", "result": "#d9f0e4", "wrong": "#fbdcd0"}
INKS = {"keep": "#8a8a8a", "add": "#0072B2", "wrong": "#D55E00"}
FONT = "font-family=\"DejaVu Sans, Verdana, sans-serif\""


def svg(diagram: Diagram) -> str:
    width = LEFT + 7 * COLUMN + WIDTH + 12
    height = TOP + (len(diagram.lines) - 1) * LINE + HEIGHT + 12
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}" {FONT} role="img">',
             f"<title>{escape(diagram.title)}</title>", "<defs>"]
    parts += [f'<marker id="{style}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
              f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{ink}"/></marker>'
              for style, ink in INKS.items()]
    parts += ["</defs>", f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
              f'<text x="12" y="24" font-size="13" font-weight="bold" fill="#2b2b2b">'
              f"{escape(diagram.title)}</text>"]
    # Grey arrows lie below the coloured arrows.
    parts += [arrow(one) for one in sorted(diagram.arrows, key=lambda one: one.style != "keep")]
    for number, line in enumerate(diagram.lines):
        y = TOP + number * LINE
        parts.append(f'<text x="12" y="{y + 16}" font-size="11" fill="#2b2b2b">'
                     f"{escape(line.label)}</text>")
        parts += [cell(one, LEFT + column * COLUMN, y)
                  for column, one in enumerate(line.cells) if one is not None]
    return "\n".join([*parts, "</svg>"]) + "\n"


def cell(one: Cell, x: float, y: float) -> str:
    return (f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="3" '
            f'fill="{FILLS[one.style]}" stroke="#6a6a6a"/><text x="{x + WIDTH / 2:g}" '
            f'y="{y + 16:g}" font-size="11" text-anchor="middle" fill="#2b2b2b">'
            f"{escape(one.text)}</text>")


def arrow(one: Arrow) -> str:
    (line, column), (to_line, to_column) = one.start, one.end
    x, to_x = (LEFT + place * COLUMN + WIDTH / 2 for place in (column, to_column))
    y, to_y = TOP + line * LINE + HEIGHT, TOP + to_line * LINE
    if line == to_line:  # from side to side
        side = math.copysign(WIDTH / 2, to_x - x)
        x, to_x, y, to_y = x + side, to_x - side, y - HEIGHT / 2, y - HEIGHT / 2
    return (f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" stroke="{INKS[one.style]}" '
            f'stroke-width="1.5" marker-end="url(#{one.style})"/>')
