"""A folder of results with a README and pictures that are generated from it."""
import json

import fabricated
from script_case import ScriptCase

from update_readme import README_BLOCKS

README = "# A title\n\n" + "\n".join(
    f"Words.\n<!-- generated: {name} -->\nold\n<!-- end generated -->" for name in README_BLOCKS
) + "\nThe end.\n"
OURS = ("ours", "single_pass", "hybrid_radix")
OUTPUT = """\
$ scripts/run
A GPU, n = 8

** SCAN **
    [ 1 2 ]
==== cpu scan, power-of-two ====
   elapsed time: 1ms
    [ 1 2 ]
    passed
==== naive scan, power-of-two ====
   elapsed time: 2ms
    passed
==== naive scan, non-power-of-two ====
   elapsed time: 3ms
    passed
==== thrust scan, power-of-two ====
   elapsed time: 4ms
    passed
==== cub scan, power-of-two ====
   elapsed time: 5ms
    passed
==== cpu compact, power-of-two ====
   elapsed time: 6ms
    passed

summary: 6 passed
"""


class Derived(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.results = self.folder / "results"
        self.images = self.folder / "img"
        for name, data in fabricated.everything().items():
            self.write_results(f"results/{name}.json", data)

    def change(self, experiment: str, **fields) -> None:
        """Changes our rows at 2^24."""
        path = self.results / f"{experiment}.json"
        data = json.loads(path.read_text())
        for row in data["rows"]:
            if row["algorithm"] in OURS and row["n"] == 1 << 24:
                row.update(fields)
        path.write_text(json.dumps(data))
