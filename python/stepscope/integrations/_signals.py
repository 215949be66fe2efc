"""Records SIGTERM as a preemption notice and leaves the program's reaction to it as it was."""
import os
import signal
import threading
from typing import Any, Callable


class SigtermNotice:
    """A handler of SIGTERM that tells `notice`, then does what would have been done without it."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self._notice = notice
        self._process = 0
        self._before: Any = None
        self._watching = False

    def watch(self) -> bool:
        """Installs the handler, before the one that is there. Returns False where Python does not allow it: outside
        the main thread, and over a handler that was not installed from Python."""
        if threading.current_thread() is not threading.main_thread():
            return False
        before = signal.getsignal(signal.SIGTERM)
        if before is None:
            return False
        if before != self._handle:
            self._before = before
            signal.signal(signal.SIGTERM, self._handle)
        self._process, self._watching = os.getpid(), True
        return True

    def restore(self) -> None:
        """Puts the previous handler back. One that was installed later stays, and may go on calling this one."""
        self._watching = False
        if threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, self._before)

    def _handle(self, number: int, frame: Any) -> None:
        # Forked workers inherit the handler, and loaders end them with SIGTERM.
        if self._watching and os.getpid() == self._process:
            self._notice()
        if callable(self._before):
            self._before(number, frame)
        elif self._before == signal.SIG_DFL and signal.getsignal(number) == self._handle:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        # Under a handler that was installed over this one, that one decides.
