"""Asks ml-goodput-measurement what Stepscope answers, for goodput_bench.py: the goodput of a log.

    python peer_goodput.py FILE    (with the Python of an environment that holds the library)

The log's entries come from where the library asks Cloud Logging for them. Prints one line of JSON:
seconds of import, reading and the first query, its goodput, and the job's steps.
"""
import datetime
import json
import sys
import tempfile
import time

started = time.monotonic()


def lap():
    """Seconds since the last lap."""
    global started
    before, started = started, time.monotonic()
    return started - before


class FileLogger:
    """In the place of the library's own logger of Cloud Logging."""

    def __init__(self, path):
        with open(path) as lines:
            self.entries = [json.loads(line) for line in lines]

    def read_cloud_logging_entries(self, **_):
        return self.entries, (datetime.datetime.now(datetime.timezone.utc), "last")


def main(path):
    from ml_goodput_measurement.src.goodput import GoodputCalculator
    seconds = {"import": lap()}
    log = FileLogger(path)
    seconds["read"] = lap()
    with tempfile.TemporaryDirectory() as cache:
        calculator = GoodputCalculator(log.entries[0]["job_name"], "log", cloud_logger=log,
                                       cache_dir=cache)
        goodput, _, last_step = calculator.get_job_goodput()
        seconds["query"] = lap()
    print(json.dumps({"seconds": seconds, "goodput": goodput, "last_step": last_step}))


if __name__ == "__main__":
    main(sys.argv[1])
