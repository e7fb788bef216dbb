"""The results page as one HTML file: a template, its style, its scripts, a library, the data.

A content security policy allows only the page's own scripts, by their digests, and no other origin. The
content of a results file is shown as text; if it were a script, it could not run or send anything.
"""
from __future__ import annotations

import base64
import hashlib
import json
import re
import string
from pathlib import Path

from study.results_files import read_input

PARTS = Path(__file__).resolve().parent
SCRIPTS = ("rows.js", "choice.js", "pictures.js", "table.js", "page.js")


def page(data: dict, library: str) -> str:
    scripts = [inside_script(text)
               for text in (library, *(read_input(PARTS / name) for name in SCRIPTS))]
    return string.Template(read_input(PARTS / "report.html")).substitute(
        digests=" ".join(map(digest, scripts)),
        style=read_input(PARTS / "report.css"),
        scripts="\n".join(f"<script>{text}</script>" for text in scripts),
        data=inside_element(json.dumps(data, separators=(",", ":"))))


def inside_script(text: str) -> str:
    """Strings and patterns of a script may contain its end tag: in them \\\\/ means the same as /."""
    return re.sub("</(?=script)", r"<\\/", text, flags=re.IGNORECASE)


def inside_element(text: str) -> str:
    """JSON that can neither end nor begin an HTML element."""
    return text.replace("<", "\\u003c")


def digest(script: str) -> str:
    """A script's source expression in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
