"""What uploads while a job runs: threads, each with one kind of numbers, and what they write where."""
import datetime
import functools
import logging
import os
import threading
import time
from typing import Any, Callable, Dict, Optional

from stepscope.goodput.ml_goodput import _metrics, _tensorboard

logger = logging.getLogger("stepscope.goodput.monitoring")
PATIENCE = 10.0  # seconds for a last upload


class Uploader:
    """A thread that uploads every now and then until it is stopped."""

    def __init__(self, what: str, worker: Callable[..., None], config: Dict[str, Any]):
        """`worker` is called with `config`, an event that ends it, and one that asks for a last upload then."""
        self._what = what
        self._worker = worker
        self._config = config
        self.stopping = threading.Event()
        self.flushing = threading.Event()
        self.thread: Optional[threading.Thread] = None

    def start(self) -> None:
        """Starts the thread, unless it runs."""
        if self.thread is not None and self.thread.is_alive():
            logger.warning("goodput: the uploader of %s runs already", self._what)
            return
        self.stopping.clear()
        self.flushing.clear()
        self.thread = threading.Thread(target=self._worker, daemon=True, name="goodput " + self._what,
                                       args=(self._config, self.stopping, self.flushing))
        self.thread.start()

    def stop(self, flush: bool, patience: Optional[float]) -> bool:
        """Ends the thread, after a last upload if `flush`; returns whether there was one. A thread that takes longer
        than `patience` seconds is left to itself."""
        thread, self.thread = self.thread, None
        if thread is None:
            return False
        if flush:
            self.flushing.set()
        self.stopping.set()
        thread.join(timeout=patience)
        if thread.is_alive():
            logger.warning("goodput: the last upload of %s takes longer than %s s; the job goes on", self._what,
                           patience)
        return True


def run_with_timeout(func: Callable[[], Any], timeout_seconds: Optional[float], description: str) -> None:
    """Calls func, but waits at most so long for its end; None: as long as it takes."""
    if timeout_seconds is None:
        func()
        return
    thread = threading.Thread(target=func, daemon=True, name="goodput")
    thread.start()
    thread.join(timeout=timeout_seconds)
    if thread.is_alive():
        logger.warning("goodput: %s takes longer than %s s; the job goes on", description, timeout_seconds)


def guarded(what: str, config: Dict[str, Any], call: Callable[[], Any]) -> Any:
    """Returns call(). What it raises is logged, since the job must go on, and None is returned."""
    try:
        return call()
    except Exception as error:
        logger.warning("goodput: no %s of job %s: %s", what, config["job_name"], error)
        return None


def tensorboard_writer(config: Dict[str, Any]) -> Any:
    """Returns a writer of scalars for config["tensorboard_dir"]."""
    folder = config["tensorboard_dir"]
    return guarded("TensorBoard", config, lambda: _tensorboard.summary_writer(folder)) or _tensorboard.Nowhere()


def send(sender: Any, metrics: Any, config: Dict[str, Any], kind: str) -> None:
    """Sends metrics to Cloud Monitoring, if there is a sender."""
    if sender is not None and metrics:
        sender.send_metrics(metrics, context={"job_name": config["job_name"], "pid": os.getpid(),
                                              "worker": threading.current_thread().name, "metrics_type": kind})


def write_times(writer: Any, prefix: str, times: Dict[Any, Any], step: int) -> None:
    """Writes "PREFIX/tpu_initialization", and "PREFIX/custom_badput_events/eval" of custom events."""
    for source, value in _metrics.flat(times):
        name = source.lower().replace(".", "/", 1)
        writer.add_scalar("{}/{}".format(prefix, name), float(value), step, display_name=name.rpartition("/")[2])


def write_goodput(writer: Any, goodput: float, badput: Dict[Any, Any], step: int) -> None:
    """Writes "goodput/goodput" and "badput/...", in percent, at the last productive step."""
    writer.add_scalar("goodput/goodput", float(goodput), step, display_name="goodput")
    write_times(writer, "badput", badput, step)
    writer.flush()


def write_steps(writer: Any, deviations: Dict[int, float], written: Dict[int, float]) -> None:
    """Writes "step_deviation" of steps that are not in `written` yet, and puts them there."""
    for step, value in deviations.items():
        if step not in written:
            writer.add_scalar("step_deviation", float(value), step)
            written[step] = value
    writer.flush()


def write_window(writer: Any, details: Dict[str, Any], step: int) -> None:
    """Writes "rolling_window_300/goodput" and "rolling_window_300/badput/...", in percent."""
    prefix = "rolling_window_{}".format(details["interval_size"])
    for value in details["interval_goodput"].values():
        writer.add_scalar(prefix + "/goodput", float(value), step, display_name="goodput")
    write_times(writer, prefix + "/badput", details["interval_badput"], step)
    writer.flush()


def upload_windows(calculator: Any, writer: Any, sender: Any, config: Dict[str, Any],
                   upload: Callable[..., None]) -> None:
    """Asks for each window that ends now, writes it and calls `upload` with its details."""
    now = datetime.datetime.now(datetime.timezone.utc)

    def window(size: float) -> None:
        details, step = calculator._window_details(now - datetime.timedelta(seconds=size), now)
        write_window(writer, details, step)
        if config["gcp_options"].enable_gcp_goodput_metrics:
            upload(sender, details, config)

    for size in config["rolling_windows"]:
        guarded("window of {} s".format(size), config, functools.partial(window, size))


def repeat(interval: float, stopping: threading.Event, flushing: threading.Event, cycle: Callable[[], None],
           between: Callable[[], None] = lambda: None) -> None:
    """Calls cycle() and between() every `interval` seconds until `stopping`, and cycle() once more if `flushing`."""
    while not stopping.wait(timeout=interval):
        cycle()
        between()
    if flushing.is_set():
        cycle()


class Every:
    """Calls something at most every so many seconds."""

    def __init__(self, seconds: float, call: Callable[[], None]):
        self._seconds, self._call, self._last = seconds, call, time.monotonic()

    def __call__(self) -> None:
        if time.monotonic() - self._last >= self._seconds:
            self._call()
            self._last = time.monotonic()
