"""For tests of stepscope.goodput: jobs whose numbers are known, in a folder of their own."""
import datetime
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

PACKAGE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGE))

from stepscope.goodput import _binary  # noqa: E402
from stepscope.goodput.ml_goodput import goodput, goodput_utils  # noqa: E402

BEGIN = 1_780_000_000
BadputType = goodput_utils.BadputType


def at(seconds: float) -> datetime.datetime:
    """Returns the time so long after the beginning."""
    return datetime.datetime.fromtimestamp(BEGIN + seconds, datetime.timezone.utc)


def has_binary() -> bool:
    try:
        return bool(_binary.binary())
    except FileNotFoundError:
        return False


@unittest.skipUnless(has_binary(), "there is no binary `stepscope`: set STEPSCOPE_BINARY")
class JobTest(unittest.TestCase):
    """Has an empty folder in which events are recorded."""

    job = "llm"

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        environment = mock.patch.dict(os.environ, {"STEPSCOPE_GOODPUT_DIR": os.path.join(self.folder, "events")})
        environment.start()
        self.addCleanup(environment.stop)
        for name in ("STEPSCOPE_GOODPUT_LOG", "STEPSCOPE_LABELS"):
            os.environ.pop(name, None)

    def recorder(self, kind=goodput.GoodputRecorder, job=None):
        recorder = kind(job or self.job, "log", True)
        self.addCleanup(lambda: recorder._files is not None and recorder._files.close())
        return recorder

    def calculator(self, kind=goodput.GoodputCalculator, job=None):
        return kind(job or self.job, "log")

    def record_job(self, recorder=None):
        """100 s: 10 s of preparation, steps 0..4 of 10 s, 20 s down, steps 3..5, of which 3 and 4 are made again, and
        20 s left."""
        r = recorder or self.recorder()
        r.record_job_start_time(at(0))
        r.record_training_preparation_start_time(at(0))
        r.record_training_preparation_end_time(at(10))
        for step in range(5):
            r.record_step_start_time(step, at(10 + 10 * step))
        r.record_job_start_time(at(70))
        for step in range(3, 6):
            r.record_step_start_time(step, at(70 + 10 * (step - 3)))
        r.record_job_end_time(at(100))
        r.flush()
        return r
