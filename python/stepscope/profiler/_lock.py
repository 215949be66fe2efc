"""Keeps captures from outside off this process while it profiles itself; src/capture/common/lock.h has the same rules.

Two profilers at once end a PyTorch process.
"""
import fcntl
import os
import stat
import time
from typing import Optional


class ProcessLock:
    """The lock of this process: a file, locked with flock(), in a private folder in /tmp."""

    def __init__(self) -> None:
        self._file: Optional[int] = None
        self._path = ""

    def take(self) -> bool:
        """Returns False if a capture runs, or may still run. Where no lock can be had, nobody else has one: True."""
        try:
            return self._take()
        except OSError:
            return True

    def release(self) -> None:
        file, self._file = self._file, None
        if file is None:
            return
        try:
            os.unlink(self._path)
            fcntl.flock(file, fcntl.LOCK_UN)  # forked workers of a loader hold the file open
        except OSError:
            pass
        os.close(file)

    def _take(self) -> bool:
        folder = "/tmp/stepscope-{}".format(os.geteuid())
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass
        facts = os.lstat(folder)
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
            raise PermissionError(folder)
        self._path = os.path.join(folder, _key() + ".lock")
        for _ in range(10):
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not _is_named(file, self._path):  # its owner removed it meanwhile
                    os.close(file)
                    continue
            except BlockingIOError:
                os.close(file)
                return False
            if _may_still_run(os.read(file, 512)):
                os.close(file)
                return False
            self._file = file
            return True
        return False


def _key() -> str:
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read().strip()
    with open("/proc/self/stat") as file:
        start = file.read().rpartition(")")[2].split()[19]
    return "{}.{}.{}".format(boot, os.getpid(), start)


def _is_named(file: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.lstat(path))
    except FileNotFoundError:
        return False


def _may_still_run(record: bytes) -> bool:
    """Of "UNTIL why", ns since 1970: a capture whose program was ended may go on until then."""
    words = record.split(None, 1)
    return bool(words) and (not words[0].isdigit() or int(words[0]) > time.time_ns())
