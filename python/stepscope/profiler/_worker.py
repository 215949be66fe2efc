"""The file that makes a process a target of `stepscope capture`: who it is, and where its profiler answers."""
import atexit
import json
import os
import signal
import threading
from typing import Any, Dict, Optional

from stepscope.integrations._process import start_of_process
from stepscope.integrations._signals import SigtermNotice
from stepscope.profiler._places import Folder, discard, open_private
from stepscope.profiler._problems import problem
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
                "started": round(start_of_process(), 3)}

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
    """The folder `workers`, or $STEPSCOPE_WORKERS, or ~/.stepscope/workers. Made for this user alone.

    Raises OSError where it belongs to somebody else.
    """
    given = workers or os.environ.get("STEPSCOPE_WORKERS")
    if given:
        folder = os.path.abspath(os.path.expanduser(os.fspath(given)))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return folder
    folder = os.path.join(_home(), ".stepscope", "workers")
    for path in (os.path.dirname(folder), folder):
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
    if os.stat(folder).st_uid != os.geteuid():
        raise PermissionError("the folder {} is of another user".format(folder))
    return folder


def _home() -> str:
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise OSError("there is no home directory; set STEPSCOPE_WORKERS to a folder")
    return home


def _sweep(folder: str, who: Who) -> None:
    """Removes what processes of this host left that were killed."""
    ends = ".{}.".format(safe(who.host))
    for name in os.listdir(folder):
        stem, dot, last = name.rpartition(".json")
        host, _, pid = stem.rpartition(".")
        if last or not dot or not (host + ".").endswith(ends) or not pid.isdigit():
            continue
        path = os.path.join(folder, name)
        try:
            if os.lstat(path).st_uid == os.geteuid() and not os.path.exists("/proc/" + pid) and os.path.exists("/proc/1"):
                os.unlink(path)
        except OSError as error:
            problem(error)


def written(path: str) -> Optional[Dict[str, Any]]:
    """What the file at `path` says; None if it is gone."""
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return None
