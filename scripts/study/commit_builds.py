"""Builds measure_time of any commit, each in a folder below build/commits."""
from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from study.command_line import ExitCode, ScriptError
from study.executables import MeasureTime, last_line, run_to_the_end
from study.results_files import REPOSITORY

FOLDER = REPOSITORY / "build/commits"


def require_gpu() -> None:
    """Fails before minutes of building if nothing could be measured. scripts/setup asks the same."""
    try:
        done = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, check=False)
        gpus = done.stdout
    except OSError:
        gpus = b""
    if b"GPU" not in gpus:
        raise ScriptError("nothing can be measured without a GPU: nvidia-smi lists none",
                          ExitCode.CUDA)


def hash_of(name: str) -> str:
    """The full hash of a commit, a branch or a tag."""
    done = git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if done.returncode != 0 or name.startswith("-"):
        raise ScriptError(f"given '{name}', which is not a commit of this repository",
                          ExitCode.USAGE)
    return done.stdout.decode().strip()


def built(commit: str) -> MeasureTime:
    """measure_time of a commit, by the commit's own scripts/setup. A second call builds what is missing.

    If the user interrupts the first build, its folder is removed.
    """
    folder = FOLDER / commit
    is_new = not folder.exists()
    try:
        if is_new:
            extract(commit, folder)
        with tempfile.TemporaryFile() as log:
            code = run_to_the_end([folder / "scripts/setup", "release", "measure_time"],
                                  stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            log.seek(0)
            said = last_line(log.read().decode(errors="replace"), "setup")
    except KeyboardInterrupt:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if code != 0:
        raise ScriptError(f"{commit[:12]} cannot be built: {said}; repeat: "
                          f"{folder}/scripts/setup release measure_time", ExitCode.FILES)
    return MeasureTime(str(folder / "build"))


def extract(commit: str, folder: Path) -> None:
    """Writes the sources of a commit to a new folder, which gets its name when it is complete."""
    archive = git("archive", "--format=tar", commit)
    if archive.returncode != 0:
        raise ScriptError(last_line(archive.stderr.decode(errors="replace"), "git"), ExitCode.FILES)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as temporary:
        sources = Path(temporary) / "sources"
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            if hasattr(tarfile, "data_filter"):  # Python 3.12 warns without a filter
                tar.extraction_filter = tarfile.data_filter
            tar.extractall(sources)
        packages = REPOSITORY / ".venv"  # may contain the CUDA toolkit
        if packages.exists():
            (sources / ".venv").symlink_to(packages)
        sources.rename(folder)


def git(*arguments: str) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, check=False)
    except OSError as error:
        raise ScriptError(f"git cannot be started: {error.strerror}", ExitCode.FILES) from error
