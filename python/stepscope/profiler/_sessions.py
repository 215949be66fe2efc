"""Files of JAX and TensorFlow profiles, laid out as TensorBoard reads them: plugins/profile/SESSION/HOST.xplane.pb."""
import hashlib
import os
import shutil
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List, Optional

from stepscope.profiler._later import Later
from stepscope.profiler._places import place_of
from stepscope.profiler._problems import problem
from stepscope.profiler._who import safe, this_process

_SECONDS_FOR_NAME = 30


class Sessions:
    """The windows of one process. A framework writes each into a folder of this machine, from which it is moved."""

    def __init__(self, where: Any, session: Optional[str], keep: int, storage_options: Optional[Dict[str, Any]]) -> None:
        if keep < 1:
            raise ValueError("cannot keep {} windows: keep must be 1 or more".format(keep))
        if session is not None and safe(session) != session:
            raise ValueError("cannot name a session {!r}: use letters, digits, '.', '_' and '-'".format(session))
        self._place = place_of(where, storage_options)
        self._session, self._keep = session, keep
        self._later = Later()
        self._written: List[List[str]] = []
        self._windows = self._second = 0
        self._local = ""
        self._name: Callable[[], str] = str

    @property
    def files(self) -> List[str]:
        """The files that are kept so far, oldest first."""
        return [path for window in self._written for path in window]

    def wait(self, seconds: float = 60.0) -> bool:
        """Returns whether all windows so far were written, or given up, within so long."""
        return self._later.wait(seconds)

    def begin(self) -> str:
        """Returns a private folder for the framework to write the next window to."""
        self._name = self._name_of_session(self._windows)
        self._windows += 1
        self._local = tempfile.mkdtemp(prefix="stepscope-")
        return self._local

    def end(self) -> None:
        """Moves what was written to its place, on another thread."""
        local, name = self._local, self._name
        if not self._later.put(lambda: self._finish(local, name)):
            shutil.rmtree(local, ignore_errors=True)
            problem("a window of steps was dropped: earlier traces are still being written")

    def drop(self) -> None:
        """Gives up the window that was begun."""
        shutil.rmtree(self._local, ignore_errors=True)

    def _name_of_session(self, window: int) -> Callable[[], str]:
        """How to get the name that this window has on all hosts. Process 0 of JAX says it."""
        self._second = max(int(time.time()), self._second + 1)  # windows of one second have names of their own
        now = time.strftime("%Y_%m_%d_%H_%M_%S", time.localtime(self._second))
        if self._session is not None:
            return lambda: self._session + ("" if window == 0 else "_{}".format(window))
        key = "stepscope/session/{}/{}".format(hashlib.sha256(self._place.path.encode()).hexdigest()[:16], window)
        client, process = _jax_client()
        if client is None:
            return lambda: now
        if process == 0:
            client.key_value_set(key, now)
            return lambda: now
        return lambda: _asked(client, key, now)

    def _finish(self, local: str, name: Callable[[], str]) -> None:
        try:
            self._move(local, name())
        except Exception as error:
            problem("a trace was not written to {}: {}: {}".format(self._place.path, type(error).__name__, error))
        finally:
            shutil.rmtree(local, ignore_errors=True)

    def _move(self, local: str, session: str) -> None:
        who = this_process()
        host = safe(who.host)
        if who.rank is not None and who.world_size != 1:
            host += "_rank{}".format(who.rank)
        moved = []
        for path in _profiles_in(local):
            ends = ".xplane.pb" if path.endswith(".xplane.pb") else ".trace.json.gz"
            moved.append(self._place.publish(path, "plugins/profile/{}/{}{}".format(session, host, ends)))
        if not moved:
            raise OSError("the profiler wrote no file")
        self._written.append(moved)
        while len(self._written) > self._keep:
            for path in self._written.pop(0):
                try:
                    self._place.remove(path)
                except FileNotFoundError:
                    pass


def _profiles_in(folder: str) -> List[str]:
    """The files of a profile, the profile itself last: a session that has it is whole."""
    found = []
    for above, _, names in os.walk(folder):
        found += [os.path.join(above, name) for name in names if name.endswith((".xplane.pb", ".trace.json.gz"))]
    for path in found:
        if path.endswith(".xplane.pb") and os.path.getsize(path) == 0:
            raise OSError("the profile has 0 bytes: is the disk full, or the window too long?")
    return sorted(found, key=lambda path: path.endswith(".xplane.pb"))


def _jax_client() -> Any:
    """JAX' store for names and this process's number, or (None, 0): of one process, or of a JAX that has no such store."""
    try:
        state = sys.modules["jax._src.distributed"].global_state
        return state.client, state.process_id
    except (KeyError, AttributeError):
        return None, 0


def _asked(client: Any, key: str, otherwise: str) -> str:
    try:
        return safe(client.blocking_key_value_get(key, _SECONDS_FOR_NAME * 1000))
    except Exception as error:
        problem("a session of this host has a name of its own, since process 0 gave none within {} s: {}".format(
            _SECONDS_FOR_NAME, error))
        return otherwise
