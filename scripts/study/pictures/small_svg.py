"""Writes matplotlib's SVG again in an eighth of the bytes.

Coordinates have one decimal and are relative, styles are classes, a curve's markers are one SVG marker
instead of an element for each point, grid lines and ticks of an axis are one path each, and what nothing
refers to is left out: metadata, ids, empty groups. Text stays text; texts in a row share their style.
"""
from __future__ import annotations

import re
from itertools import groupby
from typing import Iterator, NamedTuple, Optional, Union
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
DESCRIPTION = ".//{http://purl.org/dc/elements/1.1/}description"
MARKER_DIGITS = 2  # a marker is 4 points wide
LEAST_HEIGHT = 1.5  # of a band, in points: a thinner one is hidden by its curve
INK = "#2b2b2b"  # of most texts
FONT = "'DejaVu Sans'"
FONTS = "DejaVu Sans,Verdana,sans-serif"  # a viewer without the first has one as wide

Point = tuple[float, float]
Commands = list[tuple[str, list[Point]]]  # of an SVG path, absolute


def parsed(path: str) -> Commands:
    commands: Commands = []
    for letter, numbers in re.findall(r"([MLCQz])([^MLCQz]*)", path):
        values = [float(number) for number in numbers.split()]
        commands.append((letter, list(zip(values[::2], values[1::2]))))
    return commands


def number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return re.sub(r"^(-?)0\.", r"\1.", "0" if text == "-0" else text)


def written(commands: Commands, digits: int = 1) -> str:
    """An SVG path, each point relative to the one before."""
    text, last, at, start = "", "", (0.0, 0.0), (0.0, 0.0)
    for letter, points in commands:
        if letter == "z":
            text, last, at = text + "z", "z", start
            continue
        points = [(round(x, digits), round(y, digits)) for x, y in points]
        numbers = [number(value, digits) for x, y in points for value in (x - at[0], y - at[1])]
        if letter == "M":
            start = points[-1]
            numbers = [number(value, digits) for value in start]
        elif letter == "L" and "0" in numbers:
            if numbers == ["0", "0"]:
                continue
            letter, numbers = ("h", numbers[:1]) if numbers[1] == "0" else ("v", numbers[1:])
        letter = letter if letter == "M" else letter.lower()
        joined = numbers[0] + "".join(one if one[0] == "-" else " " + one for one in numbers[1:])
        repeats = letter == last and letter != "M"
        text += ("" if repeats and joined[0] == "-" else " " if repeats else letter) + joined
        last, at = letter, points[-1]
    return text


def moved(commands: Commands, by: Point) -> Commands:
    return [(letter, [(x + by[0], y + by[1]) for x, y in points]) for letter, points in commands]


def style_of(*elements: Element) -> str:
    """The style of an element with what it has from those around it."""
    parts: dict[str, str] = {}
    for element in elements:
        for part in filter(None, (element.get("style") or "").split(";")):
            name, _, value = part.partition(":")
            parts[name.strip()] = value.strip()
    if parts.get("fill") == INK and "font" in parts:
        del parts["fill"]
    if parts.get("font", "").endswith(f"px {FONT}") and parts["font"].count(" ") == 2:
        parts["font-size"] = parts.pop("font").split()[0]
    parts.pop("stroke-dashoffset", None)
    parts.pop("stroke-linecap", None)  # a line that ends half its width earlier looks the same
    if parts.get("text-anchor") == "start":
        del parts["text-anchor"]
    if parts.get("stroke") == "none":
        parts = {name: value for name, value in parts.items()
                 if name == "stroke" or not name.startswith("stroke")}
    text = ";".join(f"{name}:{value}" for name, value in parts.items()).replace(FONT, FONTS)
    return re.sub(r"#(\w)\1(\w)\2(\w)\3\b", r"#\1\2\3", text)


def of_path(style: str) -> str:
    """The style of a path, for which the document's default is no fill."""
    kept = [part for part in style.split(";") if part not in ("fill:none", "fill-opacity:0")]
    is_black = not any(part.startswith("fill:") or part == "fill-opacity:0" for part in style.split(";"))
    return ";".join([*filter(None, kept), *["fill:#000"] * is_black])


class Text(NamedTuple):
    style: str  # the attribute
    rest: str  # after <text


def grouped(body: list[Union[str, Text]]) -> Iterator[str]:
    """Texts in a row that have the same style name it once."""
    for style, run in groupby(body, lambda one: one.style if isinstance(one, Text) else None):
        ones = list(run)
        if style is None:
            yield from ones
        elif len(ones) == 1 or not style:
            yield from (f"<text{style}{one.rest}" for one in ones)
        else:
            yield f"<g{style}>" + "\n".join(f"<text{one.rest}" for one in ones) + "</g>"


class Small:
    """Collects the shapes of a picture in their order, with their styles, markers and clips."""

    def __init__(self, root: Element):
        self.parents = {child: parent for parent in root.iter() for child in parent}
        self.classes: dict[str, str] = {}
        self.markers: dict[tuple[str, str], str] = {}
        self.defined = {path.get("id"): path for path in root.iter(f"{SVG}path") if path.get("id")}
        self.clips = {clip.get("id"): clip[0] for clip in root.iter(f"{SVG}clipPath")}
        self.used_clips: dict[str, str] = {}
        self.body: list[Union[str, Text]] = []
        self.visit(root)

    def class_of(self, style: str) -> str:
        """Returns the attribute, or nothing for no style."""
        if not style:
            return ""
        name = self.classes.setdefault(style, f"c{len(self.classes)}")
        return f' class="{name}"'

    def marker_of(self, use: Element) -> str:
        key = (use.get(HREF)[1:], style_of(self.defined[use.get(HREF)[1:]], use))
        return self.markers.setdefault(key, f"m{len(self.markers)}")

    def clip_of(self, element: Optional[Element], commands: Commands) -> str:
        """Returns the attribute, or nothing if all points lie inside."""
        while element is not None and not element.get("clip-path"):
            element = self.parents.get(element)
        if element is None:
            return ""
        name = element.get("clip-path")[5:-1]
        x, y, width, height = (float(self.clips[name].get(side))
                               for side in ("x", "y", "width", "height"))
        if all(x - 0.1 <= px <= x + width + 0.1 and y - 0.1 <= py <= y + height + 0.1
               for _, points in commands for px, py in points):
            return ""
        return f' clip-path="url(#{self.used_clips.setdefault(name, f"k{len(self.used_clips)}")})"'

    def draw(self, commands: Commands, style: str, clip: str, marker: str = "") -> None:
        if not commands:  # matplotlib writes a path without points where all lie outside of a panel
            return
        style += f";marker:url(#{marker})" if marker else ""
        self.body.append(f'<path{self.class_of(of_path(style))}{clip} d="{written(commands)}"/>')

    def visit(self, group: Element) -> None:
        for child in group:
            if child.tag == f"{SVG}text":
                self.text(child, group)
            elif child.tag == f"{SVG}path":
                commands = parsed(child.get("d", ""))
                self.draw(commands, style_of(child), self.clip_of(child, commands))
            elif child.tag == f"{SVG}image":
                self.image(child)
            elif child.tag == f"{SVG}g":
                name = child.get("id", "")
                if name.startswith("matplotlib.axis"):
                    self.axis(child)
                elif name.startswith("line2d"):
                    self.line(child)
                elif name.startswith("PolyCollection"):
                    self.bands(child)
                else:
                    self.visit(child)

    def text(self, text: Element, group: Element) -> None:
        if len(text):
            raise ValueError("a text with formulas: use Unicode")
        x, y = (number(float(text.get(side, 0)), 1) for side in ("x", "y"))
        turned = re.match(r"rotate\(-([\d.]+) ", text.get("transform", ""))
        angle = float(turned[1]) if turned else 0
        turn = f' transform="rotate(-{number(angle, 1)} {x} {y})"' if angle else ""
        self.body.append(Text(self.class_of(style_of(group, text)),
                              f' x="{x}" y="{y}"{turn}>{escape(text.text or "")}</text>'))

    def image(self, image: Element) -> None:
        attributes = "".join(f" {name.replace(HREF, 'xlink:href')}={quoteattr(value)}"
                             for name, value in image.attrib.items() if name != "id")
        self.body.append(f'<image{attributes}/>')

    def axis(self, axis: Element) -> None:
        """Grid lines and ticks do not overlap with others of their axis: those of one style are one path."""
        together: dict[tuple[str, str, str], Commands] = {}
        for element in shapes(axis):
            if element.tag == f"{SVG}path":
                commands = parsed(element.get("d", ""))
                key = (style_of(element), self.clip_of(element, commands), "")
            else:
                commands = [("M", [place_of(element)])]
                key = ("fill:none", "", self.marker_of(element))
            together.setdefault(key, []).extend(commands)
        for (style, clip, marker), commands in together.items():
            if marker:
                commands = [("L" if i else "M", points) for i, (_, points) in enumerate(commands)]
            self.draw(commands, style, clip, marker)
        for group in axis.iter(f"{SVG}g"):
            for text in group.findall(f"{SVG}text"):
                self.text(text, group)

    def line(self, line: Element) -> None:
        """A curve and its markers are one path if every point has a marker."""
        paths = [element for element in shapes(line) if element.tag == f"{SVG}path"]
        uses = [element for element in shapes(line) if element.tag == f"{SVG}use"]
        places: Commands = [("L" if i else "M", [place_of(use)]) for i, use in enumerate(uses)]
        for path in paths:
            commands = parsed(path.get("d", ""))
            is_marked = bool(uses) and commands == places
            self.draw(commands, style_of(path), self.clip_of(path, [] if is_marked else commands),
                      self.marker_of(uses[0]) if is_marked else "")
            places = [] if is_marked else places
        if places:
            self.draw(places, "fill:none", "", self.marker_of(uses[0]))

    def bands(self, group: Element) -> None:
        for use in shapes(group):
            path = self.defined[use.get(HREF)[1:]]
            commands = moved(parsed(path.get("d", "")), place_of(use))
            if height_of(commands) >= LEAST_HEIGHT:
                self.draw(commands, style_of(path, use), self.clip_of(use, commands))


def shapes(group: Element) -> Iterator[Element]:
    """What is drawn in a group, without what is only defined there."""
    for child in group:
        if child.tag in (f"{SVG}path", f"{SVG}use"):
            yield child
        elif child.tag == f"{SVG}g":
            yield from shapes(child)


def height_of(band: Commands) -> float:
    """The most that it measures at any x."""
    at: dict[float, list[float]] = {}
    for _, points in band:
        for x, y in points:
            at.setdefault(x, []).append(y)
    return max(max(ys) - min(ys) for ys in at.values())


def place_of(use: Element) -> Point:
    return float(use.get("x")), float(use.get("y"))


def small(svg: bytes) -> bytes:
    root = ElementTree.fromstring(svg)
    drawn = Small(root)
    title, description = root.findtext(f"{SVG}title"), root.findtext(DESCRIPTION)
    size = " ".join(f'{name}="{root.get(name)}"' for name in ("width", "height", "viewBox"))
    markers = [f'<marker id="{name}" markerUnits="userSpaceOnUse"><path'
               f'{drawn.class_of(of_path(style))} d="{written(parsed(drawn.defined[shape].get("d")), MARKER_DIGITS)}"/>'
               "</marker>" for (shape, style), name in drawn.markers.items()]
    clips = []
    for clip, name in drawn.used_clips.items():
        sides = " ".join(f'{side}="{number(float(drawn.clips[clip].get(side)), 1)}"'
                         for side in ("x", "y", "width", "height"))
        clips.append(f'<clipPath id="{name}"><rect {sides}/></clipPath>')
    classes = "".join(f".{name}{{{style}}}" for style, name in drawn.classes.items())
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f"{size}>", f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>",
        f"<style>*{{stroke-linejoin:round}}marker{{overflow:visible}}"
        f"path{{fill:none}}svg{{fill:{INK};font-family:{FONTS}}}{classes}</style>", *clips, *markers,
        *grouped(drawn.body), "</svg>\n"]).encode()
