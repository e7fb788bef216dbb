"""A fake ncu: writes the recorded report, or that of FAKE_NCU_REPORT, or behaves as FAKE_NCU says:
denied, nothing, many."""
import os
import sys
from pathlib import Path

words = sys.argv[1:]
log = Path(words[words.index("--log-file") + 1])
report = Path(os.environ.get("FAKE_NCU_REPORT", Path(__file__).parent / "ncu_raw.csv"))
recorded = report.read_text(encoding="utf-8")
kind = os.environ.get("FAKE_NCU", "")
if kind == "denied":
    log.write_text("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
                   "NVIDIA GPU Performance Counters on the target device 0.\n", encoding="utf-8")
    sys.exit(1)
if kind == "nothing":
    log.write_text("==WARNING== No kernels were profiled.\n", encoding="utf-8")
    sys.exit(0)
if kind == "many":  # 70 launches of the first kernel, of which --launch-count are seen
    lines = recorded.splitlines()
    most = int(words[words.index("--launch-count") + 1]) if "--launch-count" in words else 70
    recorded = "\n".join(lines[:6] + [lines[6]] * most) + "\n"
log.write_text(recorded, encoding="utf-8")
