"""The file that makes a process a target of `stepscope capture`: who it is, and where its profiler answers."""
import atexit
import json
import os
import signal
import stat
import threading
from typing import Any, Dict, Optional

from stepscope.integrations._process import start_of_process
from stepscope.integrations._signals import SigtermNotice
from stepscope.profiler._places import Folder, discard, open_private
from stepscope.profiler._who import Who, safe

VERSION = 1


class Worker:
    """A registered process. `door` is how it is profiled ("grpc", "torch", "debug"), `address` where."""

    def __init__(self, who: Who, door: str, address: str, folder: str) -> None:
        self.who, self.door, self.address = who, door, address
        self.path = os.path.join(folder, "{}.{}.{}.{}.json".format(
            safe(who.job or "unnamed"), safe(who.attempt or "0"), safe(who.host), who.pid))
        self._sigterm = SigtermNotice(self.remove)

    def __repr__(self) -> str:
        return "Worker(job={!r}, rank={!r}, door={!r}, address={!r})".format(
            self.who.job, self.who.rank, self.door, self.address)

    @property
    def content(self) -> Dict[str, Any]:
        """What the file says."""
        who = self.who
        return {"version": VERSION, "door": self.door, "address": self.address, "job": who.job, "attempt": who.attempt,
                "rank": who.rank, "world_size": who.world_size, "host": who.host, "pid": who.pid,
                "namespace": _namespace(), "started": round(start_of_process(), 3)}

    def register(self) -> None:
        """Writes the file, which the end of the process removes."""
        _sweep(os.path.dirname(self.path), self.who)
        draft = Folder(os.path.dirname(self.path)).draft(os.path.basename(self.path))
        try:
            with open_private(draft) as file:
                file.write(json.dumps(self.content).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except BaseException:
            discard(draft)
            raise
        atexit.register(self.remove)
        self._watch_sigterm()

    def _watch_sigterm(self) -> None:
        # A handler of the program's decides itself what SIGTERM does; the file then goes with the process's end.
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            self._sigterm.watch()

    def remove(self) -> None:
        """Removes the file; in a fork nothing."""
        if os.getpid() != self.who.pid:
            return
        discard(self.path)
        atexit.unregister(self.remove)


def folder_of_workers(workers: Any = None) -> str:
    """The folder `workers`, or $STEPSCOPE_WORKERS, or stepscope/workers in $XDG_STATE_HOME, or in ~/.local/state. Made
    for this user alone. `stepscope capture` looks there too (src/capture/common/workers.h).

    Raises OSError where it cannot be made, or belongs to somebody else.
    """
    folder = workers or os.environ.get("STEPSCOPE_WORKERS")
    if folder:
        folder = os.path.abspath(os.path.expanduser(os.fspath(folder)))
    else:
        folder = os.path.join(_state(), "stepscope", "workers")
        os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not workers and "STEPSCOPE_WORKERS" not in os.environ and os.stat(folder).st_uid != os.geteuid():
        raise PermissionError("the folder {} is of another user".format(folder))
    return folder


def _state() -> str:
    state = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):
        return state
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise OSError("there is no home directory; set STEPSCOPE_WORKERS to a folder")
    return os.path.join(home, ".local", "state")


def _sweep(folder: str, who: Who) -> None:
    """Removes what processes of this machine left that were killed. Pids of other containers tell nothing here."""
    own = _namespace()
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        try:
            told = _told(path) if name.endswith(".json") and not name.startswith(".") else None
            if (told and told.get("host") == who.host and own and told.get("namespace") == own
                    and not os.path.exists("/proc/{}".format(int(told.get("pid"))))):
                os.unlink(path)
        except (OSError, ValueError, TypeError):  # somebody else's, or gone
            pass


def _told(path: str) -> Optional[Dict[str, Any]]:
    """What a file of this user says; None for another one's, and for what is no such file."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid():
            return None
        told = json.loads(os.read(file, 16 << 10))
        return told if isinstance(told, dict) else None
    finally:
        os.close(file)


def _namespace() -> str:
    """In which this process has its pid."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
