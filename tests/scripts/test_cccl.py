"""CCCL_DIR selects the CUB and Thrust that the sources include."""
import json
import re
import shlex
import subprocess
import unittest
from pathlib import Path

from script_case import SCRIPTS, ScriptCase, nvcc

VERSION = 990801
HEADERS = {"cub/version.cuh": f"#define CUB_VERSION {VERSION}\n",
           "thrust/version.h": f"#define THRUST_VERSION {VERSION}\n",
           "cuda/std/version": f"#define LIBCUDACXX_VERSION {VERSION}\n"}
CHECKOUT = {"cub": "cub", "thrust": "thrust", "cuda": "libcudacxx/include"}


class Cccl(ScriptCase):
    def add_cccl(self, name: str, folders: dict) -> Path:
        for header, text in HEADERS.items():
            self.write(f"{name}/{folders[header.split('/', maxsplit=1)[0]]}/{header}", text)
        return self.folder / name

    def configure(self, cccl: object, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["cmake", "-S", str(SCRIPTS.parent), "-B", str(self.folder / "build"), "-G", "Ninja",
             "-DSTREAM_COMPACTION_PROGRAMS=OFF", "-DSTREAM_COMPACTION_TESTS=OFF",
             "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DCCCL_DIR={cccl}", *options],
            capture_output=True, text=True, check=False, cwd=self.folder)

    def seen_by(self, stem: str) -> list:
        """The versions that the compiler finds with the options of a source."""
        entries = json.loads((self.folder / "build/compile_commands.json").read_text())
        found = [entry for entry in entries if Path(entry["file"]).stem == stem]
        self.assertEqual(len(found), 1, stem)
        source = found[0]["file"]
        probe = self.write("probe" + Path(source).suffix, "".join(
            f"#include <{header}>\n" for header in HEADERS) +
            "versions: CUB_VERSION THRUST_VERSION LIBCUDACXX_VERSION\n")
        words = shlex.split(found[0]["command"].replace(source, str(probe)))
        words[words.index("-c")] = "-E"
        del words[words.index("-o"):words.index("-o") + 2]
        done = subprocess.run(words, capture_output=True, text=True, check=False,
                              cwd=found[0]["directory"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.findall("^versions: (.*)", done.stdout, re.MULTILINE)[0].split()

    def test_a_folder_without_cccl_is_told_in_one_line(self) -> None:
        self.write("file", "")
        (self.folder / "empty").mkdir()
        without_thrust = self.add_cccl("cccl", CHECKOUT)
        (without_thrust / "thrust/thrust/version.h").unlink()
        for cccl, missing in ((self.folder / "nowhere", "cub/version.cuh"),
                              (self.folder / "file", "cub/version.cuh"),
                              (self.folder / "empty", "cub/version.cuh"),
                              (without_thrust, "thrust/version.h")):
            done = self.configure(cccl, "-DSTREAM_COMPACTION_CUDA=OFF")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("CMake Error"), 1, done.stderr)
            self.assertIn(f"CCCL_DIR: given '{cccl}', which has no {missing}, expected a checkout "
                          "of NVIDIA/cccl", " ".join(done.stderr.split()))

    def test_thrust_on_the_cpu_is_of_the_checkout(self) -> None:
        self.add_cccl("cccl", CHECKOUT)
        done = self.configure("cccl", "-DSTREAM_COMPACTION_CUDA=OFF")  # where cmake is called
        self.assertEqual(done.returncode, 0, done.stderr)
        for source in ("thrust", "cpu_parallel"):
            self.assertEqual(self.seen_by(source), 3 * [str(VERSION)], source)

    def test_what_find_package_has_found_will_do(self) -> None:
        for name, headers in (("cccl", CHECKOUT),
                              ("installed", dict.fromkeys(CHECKOUT, "include")),
                              ("toolkit", dict.fromkeys(CHECKOUT, "include/cccl"))):
            self.add_cccl(name, headers)
            config = self.write(f"{name}/lib/cmake/cccl/cccl-config.cmake", "")
            done = self.configure(config.parent, "-DSTREAM_COMPACTION_CUDA=OFF")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.seen_by("thrust"), 3 * [str(VERSION)], name)

    @unittest.skipIf(nvcc() is None, "needs nvcc")
    def test_of_the_kernels_only_the_libraries_own_are_of_the_checkout(self) -> None:
        done = self.configure(self.add_cccl("cccl", CHECKOUT), "-DSTREAM_COMPACTION_CUDA=ON",
                              "-DSTREAM_COMPACTION_EMULATION=OFF",
                              "-DCMAKE_CUDA_ARCHITECTURES=90-real",
                              f"-DCMAKE_CUDA_COMPILER={nvcc()}")
        self.assertEqual(done.returncode, 0, done.stderr)
        for source in ("cub", "cub_types", "thrust", "cpu_parallel"):
            self.assertEqual(self.seen_by(source), 3 * [str(VERSION)], source)
        for source in ("naive", "onesweep", "single_pass"):
            self.assertNotIn(str(VERSION), self.seen_by(source), source)


if __name__ == "__main__":
    unittest.main()
