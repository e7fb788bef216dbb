"""scripts/setup and scripts/run, in a checkout that contains nothing else."""
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from script_case import SCRIPTS, ScriptCase, nvcc

NOBODY = 65534


def variables() -> dict[str, str]:
    """The environment, without the variables that configured the tests' own build."""
    names = ("CCCL_DIR", "CUDAARCHS", "CUDACXX", "CXX", "CXXFLAGS")
    return {key: value for key, value in os.environ.items()
            if key not in names and not key.startswith("STREAM_COMPACTION_")}


class Setup(ScriptCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder.chmod(0o755)  # another user reads it
        self.root = self.folder / "checkout"
        (self.root / "scripts").mkdir(parents=True)
        for name in ("setup", "run", "test"):
            shutil.copy(SCRIPTS / name, self.root / "scripts")
        shutil.copy(SCRIPTS.parent / "CMakePresets.json", self.root)
        # Everything that a build needs is installed, and nothing else is used.
        self.add_tool("dpkg-query", "echo installed")
        self.add_tool("cmake", """case $1 in
            --version) echo "cmake version 3.25.1" ;;
            *) echo "$@" > build/configured ;;
        esac""")
        for name in ("g++", "ccache", "git"):
            self.add_tool(name, "exit 1")
        self.add_tool("ninja", "cat build/says")
        self.add_tool("nvidia-smi", "exit 1")

    def add_tool(self, name: str, text: str) -> None:
        tool = self.write(f"checkout/.venv/bin/{name}", f"#!/bin/sh\n{text}\n")
        tool.chmod(0o755)

    def add_build(self, says: str = "ninja: no work to do.", cuda: str = "OFF") -> None:
        self.write("checkout/build/says", says)
        self.write("checkout/build/CMakeCache.txt", f"STREAM_COMPACTION_CUDA:BOOL={cuda}\n")
        program = self.write("checkout/build/bin/stream_compaction_test",
                             '#!/bin/sh\necho "ran with $*"\n')
        program.chmod(0o755)

    def call(self, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run([str(self.root / "scripts" / script), *arguments], check=False,
                              capture_output=True, text=True, cwd=self.folder,
                              env={**variables(), **environment})

    def run_program(self, *before: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run([*before, str(self.root / "scripts/run"), "--size", "8"],
                              capture_output=True, text=True, check=False, cwd=self.folder,
                              env={**variables(), **environment})

    def run_without_permission(self, **environment: str) -> subprocess.CompletedProcess:
        """Runs as a user who may not write to the checkout."""
        if os.geteuid() == 0:
            user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
            return self.run_program(*user, **environment)
        folders = [self.root, self.root / "build"]
        for folder in folders:
            if folder.exists():
                folder.chmod(0o555)
                self.addCleanup(folder.chmod, 0o755)
        return self.run_program(**environment)

    def assert_fails(self, done: subprocess.CompletedProcess, text: str, code: int = 125) -> None:
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_runs_what_is_built(self) -> None:
        self.add_build()
        done = self.run_program()
        self.assertEqual((done.returncode, done.stdout), (0, "ran with --size 8\n"), done)

    def test_builds_what_explains_where_that_is_asked_for(self) -> None:
        self.add_build()
        self.add_tool("ninja", f"echo $@ >{self.folder}/built; cat build/says")
        for words, target in ((["--size", "8"], "stream_compaction_test"),
                              (["--explain", "--size", "8"], "stream_compaction_explain")):
            subprocess.run([str(self.root / "scripts/run"), *words], check=True, cwd=self.folder,
                           capture_output=True, env=variables())
            self.assertEqual((self.folder / "built").read_text().split()[-1], target)

    def test_runs_what_somebody_else_has_built(self) -> None:
        self.add_build()
        done = self.run_without_permission()
        self.assertEqual((done.returncode, done.stdout), (0, "ran with --size 8\n"), done)

    def test_says_that_it_may_not_build(self) -> None:
        for says, cuda in (("[1/9] Building", "OFF"), ("ninja: no work to do.", "ON")):
            self.add_build(says, cuda)
            self.assert_fails(self.run_without_permission(), "is out of date and not writable")
        shutil.rmtree(self.root / "build")
        self.assert_fails(self.run_without_permission(), "is out of date and not writable")

    def test_a_bad_folder_for_temporary_files_is_no_wrong_result(self) -> None:
        self.add_build()
        self.assert_fails(self.run_program(TMPDIR="/no/such/folder"),
                          "no temporary file can be made in /no/such/folder")

    def test_knows_on_and_off(self) -> None:
        self.add_build()
        self.assert_fails(self.run_program(STREAM_COMPACTION_CUDA="maybe"),
                          "STREAM_COMPACTION_CUDA: given 'maybe', allowed are ON and OFF")
        self.assertEqual(self.run_program(STREAM_COMPACTION_CUDA="OFF").returncode, 0)

    def test_the_cccl_of_the_caller_is_built_with(self) -> None:
        self.add_build()
        configured = self.root / "build/configured"
        given = (({}, ""), ({"CCCL_DIR": "mine"}, str(self.folder / "mine")), ({}, ""))
        for environment, folder in given:
            self.assertEqual(self.run_program(**environment).returncode, 0)
            self.assertIn(f"-DCCCL_DIR={folder}", configured.read_text().split())

    def test_peers_are_compiled_for_what_the_caller_says_and_only_then(self) -> None:
        self.add_build()
        name = "STREAM_COMPACTION_PEER_ARCHITECTURES"
        for environment, value in (({}, ""), ({name: "75"}, "75"), ({}, "")):
            self.assertEqual(self.run_program(**environment).returncode, 0)
            configured = (self.root / "build/configured").read_text()
            self.assertIn(f"-D{name}={value}", configured.split())

    def test_another_cccl_is_not_what_is_built(self) -> None:
        self.add_build()
        mine = str(self.folder / "mine")
        self.assertEqual(self.run_without_permission().returncode, 0)
        self.assert_fails(self.run_without_permission(CCCL_DIR=mine), "is out of date and not writable")
        with open(self.root / "build/CMakeCache.txt", "a", encoding="utf-8") as cache:
            cache.write(f"CCCL_DIR:PATH={mine}\n")
        self.assertEqual(self.run_without_permission(CCCL_DIR=mine).returncode, 0)
        self.assert_fails(self.run_without_permission(), "is out of date and not writable")

    def test_help_is_all_that_is_done(self) -> None:
        for script, *arguments in (("setup", "--help"), ("setup", "release", "--help"),
                                   ("setup", "-h"), ("run", "--size", "8", "--help"),
                                   ("test", "-L", "cpu", "--help")):
            done = self.call(script, *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"scripts/{script} ", done.stdout)
            self.assertNotIn("#", done.stdout)
        self.assertFalse((self.root / "build").exists())
        self.add_build()
        self.assertTrue(self.call("run", "--help").stdout.endswith("\nran with --help\n"))
        self.assertFalse((self.root / "build/configured").exists())

    def test_bad_arguments_are_told_in_one_line(self) -> None:
        self.add_build()
        self.add_tool("ninja", "echo \"ninja: error: unknown target 'nix'\"; exit 1")
        for arguments, said in ((["fast"], "given preset 'fast', allowed are release, debug, sm90,"),
                                ([""], "given preset '', allowed are release,"),
                                (["release\nfast"], "given preset $'release\\nfast', allowed are release,"),
                                (["release", "--fast"], "given target '--fast', expected"),
                                (["release", "nix"], "scripts/setup: unknown target 'nix'\n")):
            self.assert_fails(self.call("setup", *arguments), said)
        for name, value, said in (("CXX", "nosuch", "given 'nosuch', which is not a program"),
                                  ("CCCL_DIR", "/a;b", "given '/a;b', expected a path without"),
                                  ("CUDACXX", "/no/nvcc", "given '/no/nvcc', expected an nvcc")):
            self.assert_fails(self.call("setup", STREAM_COMPACTION_CUDA="ON", **{name: value}),
                              f"{name}: {said}")

    def test_a_path_without_programs_is_told(self) -> None:
        done = subprocess.run([shutil.which("bash"), str(self.root / "scripts/setup")], capture_output=True,
                              text=True, check=False, env={"PATH": "/nonexistent"})
        self.assert_fails(done, "scripts/setup: readlink is not on the PATH\n")

    def test_options_of_ctest_are_passed_on_and_others_refused(self) -> None:
        self.add_build()
        ctest = self.write("bin/ctest", '#!/bin/sh\necho "$*"\n')
        ctest.chmod(0o755)
        path = f"{ctest.parent}:{os.environ['PATH']}"
        done = self.call("test", "-LE", "large", "--all", "-j3", "--stop-on-failure", PATH=path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"--preset release --no-tests=error --parallel \d+ -LE large -j3 "
                                      r"--stop-on-failure\n$")
        for arguments, said in ((["--bogus"], "unknown argument '--bogus', expected"),
                                (["-L", "cpu", "-x"], "unknown argument '-x', expected"),
                                (["naive"], "unknown argument 'naive', expected"),
                                (["--label-regx", "cpu"], "unknown argument '--label-regx'"),
                                (["-VV", "-R"], "-R: the value is missing")):
            self.assert_fails(self.call("test", *arguments, PATH=path), f"scripts/test: {said}", 2)

    def test_values_that_ctest_would_ignore_are_refused(self) -> None:
        """Before anything is built."""
        self.write("folder/file", "")
        for option, values in (("-j", ("x", "-5", "0", "1.5", "")), ("--timeout", ("abc", "0")),
                               ("-I", ("foo", "")), ("--repeat", ("bogus", "until-fail:0")),
                               ("-L", ("", "*", "(", ")", "a**", "\\")), ("-E", ("a\n[",))):
            for value in values:
                done = self.call("test", option, value)
                self.assert_fails(done, f"scripts/test: {option}: given ", 2)
        for option in ("-O", "--output-log", "--output-junit"):
            for value in ("folder", "none/file", "folder/file/x", "/dev/null", ".", "a" * 253):
                self.assert_fails(self.call("test", option, value),
                                  f"scripts/test: {option}: '{value}' cannot be written", 4)
        self.assertFalse((self.root / "build").exists())

    @unittest.skipUnless(shutil.which("ctest"), "needs ctest")
    def test_values_that_ctest_knows_are_accepted(self) -> None:
        self.add_build()
        self.write("checkout/build/CTestTestfile.cmake", "add_test(one true)\nadd_test(two true)")
        done = self.call("test", "--all", "-R", "^o?n*e|x[;\"$]", "-I", "1,,1", "-j", "2", "-j12", "--timeout",
                         "100", "--repeat", "until-fail:2", "-O", "log", "--output-junit", "a junit.xml")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("100% tests passed, 0 tests failed out of 1\n", done.stdout)
        for name in ("log", "a junit.xml"):  # in the caller's folder
            self.assertTrue((self.folder / name).read_text())

    @unittest.skipUnless(shutil.which("ctest"), "needs ctest")
    def test_a_selection_without_tests_is_an_error(self) -> None:
        self.add_build()
        self.write("checkout/build/CTestTestfile.cmake", "add_test(one true)")
        done = self.call("test", "-R", "nosuch")
        self.assertEqual(done.returncode, 8, done.stdout)
        self.assertIn("No tests were found", done.stderr)
        self.assertEqual(self.call("test", "--all", "-R", "one").returncode, 0)

    def test_a_failed_configuration_is_told_in_one_line_and_leaves_no_cache(self) -> None:
        (self.root / ".venv/bin/cmake").unlink()
        (self.root / ".venv/bin/ninja").unlink()
        for environment, said in (
                ({}, "build failed: A long text that CMake breaks in the middle of the sentence, "
                     "for it has more than seventy-seven characters.\n"),
                ({"CXX": "/bin/cat"}, 'build with CXX=/bin/cat failed: The C++ compiler "/bin/cat" is '
                                      "not able to compile a simple test program.\n"),
                ({"CXXFLAGS": "--bogus"}, "build with CXXFLAGS=--bogus failed: The C++ compiler ")):
            self.write("checkout/CMakeLists.txt", f"""
                cmake_minimum_required(VERSION 3.24)
                project(x LANGUAGES {"CXX" if environment else "NONE"})
                message(FATAL_ERROR "A long text that CMake breaks in the middle of the sentence, "
                                    "for it has more than seventy-seven characters.")""")
            self.assert_fails(self.call("setup", **environment), f"configuring {said}")
            self.assertFalse((self.root / "build/CMakeCache.txt").exists())

    def test_more_nvcc_than_a_pipe_holds_are_no_failure(self) -> None:
        self.add_build()
        self.write("bin/nvcc", "#!/bin/sh\necho release 13.0\n").chmod(0o755)
        folder = f"{self.folder}/bin:"
        done = self.call("setup", PATH=(100000 // len(folder)) * folder + os.environ["PATH"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_interrupted_call_leaves_no_temporary_file(self) -> None:
        self.add_tool("cmake", f"""case $1 in
            --version) echo "cmake version 3.25.1" ;;
            *) echo $$ >'{self.folder}/started'; exec sleep 60 ;;
        esac""")
        temporary = self.folder / "temporary"
        temporary.mkdir()
        for script in ("setup", "run", "test"):
            for number, kill in self.signals():
                process = self.begin(script, TMPDIR=str(temporary))
                self.assertEqual(len(list(temporary.iterdir())), 1)
                self.assert_interrupted(process, number, kill, "setup")
                self.assertEqual(list(temporary.iterdir()), [])

    @staticmethod
    def signals() -> list[tuple]:
        """Each signal: to the script alone, and to its process group, as a terminal sends it."""
        return [(number, kill) for kill in (os.kill, os.killpg)
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]

    def begin(self, script: str, **environment: str) -> subprocess.Popen:
        """Starts a script, and returns when one of its programs has written its id to 'started'."""
        started = self.folder / "started"
        started.unlink(missing_ok=True)
        process = subprocess.Popen(
            [str(self.root / "scripts" / script)], start_new_session=True, cwd=self.folder,
            env={**variables(), **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while not (started.exists() and started.read_text()) and process.poll() is None:
            time.sleep(0.01)
        return process

    def assert_interrupted(self, process: subprocess.Popen, number: int, kill, name: str) -> None:
        """The script prints one line, and ends together with the program that it has started."""
        program = Path("/proc", (self.folder / "started").read_text().strip(), "cmdline")
        kill(process.pid, number)
        try:
            said = process.communicate(timeout=10)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        said = re.sub("^scripts/setup: building .*\n", "", said)
        self.assertEqual((process.returncode, said), (130, f"scripts/{name}: interrupted\n"))
        end = time.monotonic() + 10
        while program.exists() and program.read_text():  # a zombie has no command line
            self.assertLess(time.monotonic(), end, "the program goes on")
            time.sleep(0.01)

    def test_an_interrupted_build_ends_at_once(self) -> None:
        self.add_build()
        self.add_tool("ninja", f"""[ "$1" = -n ] && exec echo '[1/9] Building'
            echo $$ >'{self.folder}/started'; exec sleep 60""")
        self.add_tool("cmake", """case $1 in
            --version) echo "cmake version 3.25.1" ;;
            --build) ninja; true ;;
        esac""")
        for script in ("run", "test"):
            for number, kill in self.signals():
                self.assert_interrupted(self.begin(script), number, kill, "setup")

    @unittest.skipUnless(shutil.which("ctest"), "needs ctest")
    def test_interrupted_tests_end_at_once(self) -> None:
        self.add_build()
        self.write("checkout/build/CTestTestfile.cmake",
                   f"""add_test(one sh -c "sleep 60 & echo $! >'{self.folder}/started'; wait")
                   set_tests_properties(one PROPERTIES LABELS .quick)""")
        for number, kill in self.signals():
            self.assert_interrupted(self.begin("test"), number, kill, "test")

    def test_the_build_of_another_folder_is_told(self) -> None:
        self.add_build()
        (self.folder / "link").symlink_to(self.root)
        for folder, code in ((self.folder / "former", 125), (self.folder / "link", 0)):
            with open(self.root / "build/CMakeCache.txt", "w", encoding="utf-8") as cache:
                cache.write(f"CMAKE_HOME_DIRECTORY:INTERNAL={folder}\n")
            done = self.call("setup")
            self.assertEqual(done.returncode, code, done)
            self.assertEqual(done.stderr, f"scripts/setup: build/ was configured for {folder}: "
                             f"remove {self.root.resolve()}/build\n" if code else "")

    def test_cmake_knows_on_and_off(self) -> None:
        for option, allowed in (("CUDA", "ON, OFF, AUTO"), ("EMULATION", "ON, OFF, AUTO"),
                                ("PROGRAMS", "ON, OFF"), ("TESTS", "ON, OFF")):
            done = subprocess.run(
                ["cmake", "-S", str(SCRIPTS.parent), "-B", str(self.folder / option),
                 f"-DSTREAM_COMPACTION_{option}=maybe"], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"STREAM_COMPACTION_{option}: given 'maybe', allowed: {allowed}",
                          " ".join(done.stderr.split()))


@unittest.skipIf(nvcc() is None, "needs nvcc")
class Architectures(ScriptCase):
    """scripts/setup configures the whole project if nvidia-smi reports a GPU."""

    EVERY = {"75", "80", "86", "89", "90", "100", "120"}

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "checkout"
        files = subprocess.run(["git", "-C", str(SCRIPTS.parent), "ls-files", "-z"],
                               capture_output=True, text=True, check=True).stdout
        for name in filter(None, files.split("\0")):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SCRIPTS.parent / name, self.root / name)

    def configure(self, nvidia_smi: str, **environment: str) -> set[str]:
        """The architectures that the library's kernels are compiled for, and those of CUB and Thrust."""
        tool = self.write("bin/nvidia-smi", f"#!/bin/sh\n{nvidia_smi}\n")
        tool.chmod(0o755)
        done = subprocess.run([str(self.root / "scripts/setup"), "release"],
                              capture_output=True, text=True, check=False,
                              env={**variables(), **environment,
                                   "PATH": f"{tool.parent}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done)
        commands = subprocess.run(["ninja", "-C", str(self.root / "build"), "-t", "commands",
                                   "stream_compaction_core"], capture_output=True, text=True, check=True)
        return set(re.findall(r"arch=compute_(\d+)", commands.stdout))

    def test_is_the_gpu_s_own(self) -> None:
        for name, capability in (("Tesla T4", "7.5"), ("NVIDIA A100", "8.0"),
                                 ("NVIDIA GeForce RTX 3060", "8.6")):
            found = self.configure(f"""case $1 in
                --list-gpus) echo "GPU 0: {name}" ;;
                --query-gpu=compute_cap) echo {capability} ;;
            esac""")
            self.assertEqual(found, {capability.replace(".", "")}, name)

    def test_is_every_one_without_a_gpu(self) -> None:
        self.assertEqual(self.configure("exit 9", STREAM_COMPACTION_CUDA="ON"), self.EVERY)

    def test_is_what_the_environment_says(self) -> None:
        found = self.configure("""case $1 in
            --list-gpus) echo "GPU 0: NVIDIA A100" ;;
            --query-gpu=compute_cap) echo 8.0 ;;
        esac""", CUDAARCHS="75-virtual;90-real")
        self.assertEqual(found, {"75", "90"})

    def test_may_be_another_for_cub_and_thrust(self) -> None:
        found = self.configure("""case $1 in
            --list-gpus) echo "GPU 0: NVIDIA A100" ;;
            --query-gpu=compute_cap) echo 8.0 ;;
        esac""", STREAM_COMPACTION_PEER_ARCHITECTURES="75-virtual")
        self.assertEqual(found, {"75", "80"})

    def test_is_none_without_a_gpu_where_nobody_asks(self) -> None:
        self.assertEqual(self.configure("exit 9"), set())


if __name__ == "__main__":
    unittest.main()
