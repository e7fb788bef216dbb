"""The picture of a timeline: what it shows of a small file, and the script as it is called."""
import importlib.util
import json
import unittest

from fabricated_timeline import small, span
from script_case import ScriptCase

from study.pictures.timeline import picture

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


class TimelinePicture(ScriptCase):
    def draw(self, *arguments: object, code: int = 0):
        return self.script("plot_timeline.py", self.timeline, *arguments, code=code)

    def setUp(self) -> None:
        super().setUp()
        self.timeline = self.write_results("call.json", small())

    def test_threads_and_the_device_are_lines_and_steps_are_bars(self):
        lines, *bars = picture(small()).panels[0].series
        self.assertEqual((lines.x, lines.y), (("thread 0", "thread 1", "up", "kernels", "down"), ()))
        self.assertEqual([(one.label, one.x, one.y, one.high, one.hollow) for one in bars], [
            ("copied to pinned memory", ("thread 1", "thread 0"), (0.01, 0.011), (0.9, 1.0), True),
            ("up the bus", ("up", "up"), (0.901, 2.0), (2.0, 2.5), False),
            ("kernels", ("kernels", "kernels"), (2.5, 2.6), (2.6, 2.7), False),
            ("down the bus", ("down", "down"), (2.6, 4.0), (4.0, 4.5), False),
            ("copied from pinned memory", ("thread 0", "thread 1"), (4.0, 4.5), (5.0, 31.0),
             True)])

    def test_threads_are_in_the_order_of_their_numbers(self):
        data = small()
        data["spans"] = [span("copy_in", thread, 0, 1) for thread in (10, 2, 0)]
        self.assertEqual(picture(data).panels[0].series[0].x, ("thread 0", "thread 2", "thread 10"))

    def test_pinned_arrays_have_no_copies_of_threads(self):
        data = small()
        data["spans"] = [one for one in data["spans"] if not one["step"].startswith("copy_")]
        self.assertEqual([one.label for one in picture(data).panels[0].series[1:]],
                         ["up the bus", "kernels", "down the bus"])

    def test_the_bound_is_a_line_and_stands_next_to_the_time(self):
        made = picture(small())
        self.assertEqual(made.panels[0].line_at, 21.0)
        self.assertEqual(made.title,
                         "streamed compact, n = 2⁸: 31.2 ms; the bus alone takes 21 ms")
        self.assertEqual(made.note, "NVIDIA H200 · a CPU · uniform50 · keeps 0.5 · "
                                    "bus 51.3 GB/s up, 50 GB/s down · commit 0123456789")
        scan = small()
        scan["call"].update(operation="scan", kept=None)
        self.assertNotIn("keeps", picture(scan).note)

    @unittest.skipUnless(HAS_MATPLOTLIB, "needs matplotlib")
    def test_draws_and_checks(self):
        svg = self.folder / "call.svg"
        self.assertEqual(self.draw().stdout, f"{svg}\n")
        self.assertIn("is up to date", self.draw("--check").stdout)
        drawn = svg.read_bytes()
        self.draw("--output", self.folder / "other.svg")
        self.assertEqual((self.folder / "other.svg").read_bytes(), drawn)

        svg.write_bytes(drawn.replace(b"<svg", b"<SVG"))
        self.assertIn("call.svg is not as it was drawn", self.draw("--check", code=1).stdout)
        svg.write_bytes(drawn)
        changed = small()
        changed["spans"][4]["end_us"] += 1
        self.timeline.write_text(json.dumps(changed), encoding="utf-8")
        self.assertIn("call.svg does not show what the results say",
                      self.draw("--check", code=1).stdout)

    def test_says_what_is_missing(self):
        self.assertIn("call.svg is missing", self.draw("--check", code=1).stdout)

    def test_draws_no_other_format(self):
        self.assertIn("legal is a name that ends in .svg",
                      self.error("plot_timeline.py", self.timeline, "--output", "x.png", code=2))

    def test_refuses_other_files_in_one_line(self):
        def changed(part: str, **fields) -> str:
            data = small()
            (data["spans"][0] if part == "spans" else data[part]).update(fields)
            return json.dumps(data)

        for text in ("", "[]", "{}", '{"machine": {}, "call": {}, "spans": []}',
                     changed("machine", gpu=None), changed("call", call_us="1"),
                     changed("call", n=1.5), changed("call", bound_us=float("nan")),
                     changed("call", bus_gb_s=50), changed("call", bus_gb_s={"up": 1}),
                     changed("call", kept="half"), changed("spans", step="merge"),
                     changed("spans", thread=-1), changed("spans", thread="0"),
                     changed("spans", begin_us=float("inf")), changed("spans", end_us=9),
                     changed("spans", end_us=None)):
            with self.subTest(text):
                self.timeline.write_text(text, encoding="utf-8")
                said = self.draw("--check", code=4).stderr
                self.assertIn("call.json is no timeline: ", said)
                self.assertEqual(said.count("\n"), 1)
        self.timeline.write_text(json.dumps({**small(), "spans": []}), encoding="utf-8")
        self.assertIn("has no spans", self.draw(code=4).stderr)
        self.timeline.unlink()
        self.draw(code=4)


if __name__ == "__main__":
    unittest.main()
