"""The base of picture tests: small results, and what the pictures show of them."""
import unittest

import fabricated

from study.pictures.gallery import pictures
from study.pictures.picture import Picture


class PictureCase(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.results = fabricated.everything()
        self.results["block_size"]["rows"] += fabricated.plain_tunings()

    def picture(self, name: str) -> Picture:
        return next(picture for picture in pictures(self.results) if picture.name == name)

    def names(self) -> list:
        return [picture.name for picture in pictures(self.results)]

    def series(self, name: str, panel: int = 0) -> dict:
        return {one.label: one for one in self.picture(name).panels[panel].series}

    def points(self, name: str, panel: int = 0) -> dict:
        return {label: dict(zip(one.x, one.y)) for label, one in self.series(name, panel).items()}
