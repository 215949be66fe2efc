"""A thread that finishes files while training goes on. The end of the program waits for it, up to a minute."""
import atexit
import concurrent.futures.thread  # noqa: F401: its part of the program's end is to come after ours
import os
import queue
import threading
import time
from typing import Any, Callable, Optional

from stepscope.profiler._problems import problem

_MOST_WAITING = 4
_SECONDS_AT_EXIT = 60.0


class Later:
    """One thread per object, started with the first task."""

    def __init__(self) -> None:
        self._tasks: "queue.Queue" = queue.Queue()
        self._thread: Optional[threading.Thread] = None
        self._process = 0

    def put(self, task: Callable[[], Any]) -> bool:
        """Runs the task later; its exceptions become warnings. Returns False where too many are waiting."""
        if self._process != os.getpid():  # the first task, or a fork, which has no such thread
            self._start()
        if self._tasks.unfinished_tasks > _MOST_WAITING:
            return False
        self._tasks.put(task)
        return True

    def wait(self, seconds: float = _SECONDS_AT_EXIT) -> bool:
        """Returns whether all tasks were done within so long."""
        if self._process != os.getpid():
            return True
        end = time.monotonic() + seconds
        with self._tasks.all_tasks_done:
            while self._tasks.unfinished_tasks:
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._tasks.all_tasks_done.wait(left)
        return True

    def _start(self) -> None:
        self._tasks, self._process = queue.Queue(), os.getpid()
        self._thread = threading.Thread(target=_work, args=(self._tasks,), name="stepscope-traces", daemon=True)
        self._thread.start()
        # Before the pools of threads are closed: uploads use them.
        at_exit = getattr(threading, "_register_atexit", atexit.register)
        at_exit(self._exit)

    def _exit(self) -> None:
        if not self.wait():
            problem("a trace was still being written {:.0f} s after the end of the program, and was given up".format(
                _SECONDS_AT_EXIT))


def _work(tasks: "queue.Queue") -> None:
    while True:
        task = tasks.get()
        try:
            task()
        except Exception as error:
            problem(error)
        finally:
            tasks.task_done()
            del task
