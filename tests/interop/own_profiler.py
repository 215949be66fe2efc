"""A job's own profiler, as scripts use it now and then, beside captures from outside."""

import tempfile
import time


class OwnProfiler:
    """Profiles half of every second with start(folder) and stop(), and counts the errors that this gives."""

    def __init__(self, start, stop):
        self.start, self.stop = start, stop
        self.folder = tempfile.mkdtemp()
        self.on = False
        self.since = time.time()
        self.errors = self.profiles = 0

    def step(self):
        if time.time() - self.since < 0.5:
            return
        self.since = time.time()
        try:
            if self.on:
                self.stop()
                self.profiles += 1
            else:
                self.start(self.folder)
        except Exception as error:  # noqa: BLE001: whatever it is, the job goes on
            self.errors += 1
            print("own profiler:", type(error).__name__, flush=True)
        self.on = not self.on
