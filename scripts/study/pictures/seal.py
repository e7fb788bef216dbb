"""Determines whether a drawn picture is up to date and complete.

Every picture contains a digest of the numbers and texts that it shows, and ends with a digest of the
whole file. So nothing must be drawn again for the check, whatever the version of matplotlib.
"""
from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Optional, Sequence

from study.pictures.picture import Picture

SHOWN = "digest of what is shown: "
WHOLE = "<!-- digest of all before: "


def sealed(svg: bytes) -> bytes:
    """Adds a last line that detects any change of the other lines."""
    return svg + f"{WHOLE}{hashlib.sha256(svg).hexdigest()} -->\n".encode()


def what_is_wrong(path: Path, picture: Picture) -> Optional[str]:
    try:
        text = path.read_bytes()
    except OSError:
        return "is missing"
    if sealed(text.rpartition(WHOLE.encode())[0]) != text:
        return "is not as it was drawn"
    if f"{SHOWN}{picture.digest()}".encode() not in text:
        return "does not show the current results"
    return None


def what_is_wrong_in(images: Path, made: Sequence[Picture], are_all: bool) -> list[str]:
    """The faults of the pictures, as text. are_all: other pictures in the folder are faults as well."""
    paths = {images / f"{picture.name}.svg": picture for picture in made}
    wrong = [f"{path} {what}" for path, picture in paths.items()
             if (what := what_is_wrong(path, picture))]
    if are_all:
        wrong += [f"{path} is none of the results' pictures"
                  for path in sorted(images.glob("*.svg")) if path not in paths]
    return wrong
