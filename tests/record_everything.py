#!/usr/bin/env python3
"""Records each kind of event with the recorder for Python: record_everything.py FOLDER. What it wrote,
recorder_c_test.cc reads."""
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from stepscope.goodput import Recorder  # noqa: E402

r = Recorder("from Python", directory=sys.argv[1], attempt="second", rank=0, segment_bytes=64 << 10)
good = [
    r.record_job_start_time(1.25),
    r.record_resources(8, None, 7),
    r.record_custom_badput_event_start_time(None, "évaluation"),
    r.record_spare_swap("x" * 3000),
    r.record_step_start_time(-3),
    r.log_entry({"step": 5, "event_type": "emergency_restore", "directory": "/ckpt",
                 "checkpoint_manager_start_time": 2.0, "checkpoint_manager_duration_secs": 0.5,
                 "broadcast_start_time": 3.0, "broadcast_duration_secs": None}),
]
for step in range(1700):
    if step % 100 == 0:
        time.sleep(0.005)  # the next segment is made meanwhile
    good.append(r.record_step_start_time(step))
sys.exit(0 if all(good) else 1)
