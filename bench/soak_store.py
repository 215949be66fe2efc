"""What a soak test runs on: a disk that can be full, a PostgreSQL that can be killed, and the servers."""
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

READY = 900  # seconds that a server may take to start


def can_mount():
    return os.geteuid() == 0 and all(shutil.which(tool) for tool in ("mkfs.ext4", "losetup", "mount"))


class Disk:
    """A file system of its own, in a file of this disk; without the right to mount, a plain directory."""

    def __init__(self, image, where, gigabytes):
        self.where, self.mounted = Path(where), can_mount()
        self.where.mkdir(parents=True)
        self.filler = self.where / ".filler"
        if not self.mounted:
            return
        with open(image, "wb") as file:
            file.truncate(gigabytes << 30)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
        self.mounted = subprocess.run(["mount", "-o", "loop", image, where]).returncode == 0

    def used(self):
        """Bytes, without what fills the disk."""
        if not self.mounted:
            return sum(file.stat().st_blocks * 512 for file in self.where.rglob("*") if file.is_file())
        space = os.statvfs(self.where)
        filler = self.filler.stat().st_blocks * 512 if self.filler.exists() else 0
        return (space.f_blocks - space.f_bfree) * space.f_frsize - filler

    def fill(self):
        """Takes all the room there is."""
        file = os.open(self.filler, os.O_WRONLY | os.O_CREAT)
        end, step = 0, 1 << 30
        while step >= 4096:
            try:
                os.posix_fallocate(file, end, step)
                end += step
            except OSError:
                step //= 2
        os.close(file)

    def empty(self):
        self.filler.unlink(missing_ok=True)

    def close(self):
        if self.mounted:
            subprocess.run(["umount", "-l", self.where])


class Postgres:
    """A PostgreSQL of this host in `folder`, with its usual settings for what is on disk."""

    def __init__(self, folder):
        self.folder, self.bin = Path(folder), self.find()
        self.user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.geteuid() == 0 else []
        self.port = 20000 + os.getpid() % 20000
        self.address = f"postgresql://tester@127.0.0.1:{self.port}/postgres"
        self.folder.mkdir(parents=True)
        if self.user:
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "-D", self.folder / "data", "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C")
        self.start()

    @staticmethod
    def find():
        """The directory of the newest server's programs; None: there is none."""
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
        return found[-1].parent if found else None

    def run(self, program, *words):
        # Its output goes to a file: the server would keep a pipe open.
        with open(f"{self.folder}.log", "a") as log:
            subprocess.run([*self.user, self.bin / program, *map(str, words)], check=True, cwd="/",
                           stdout=log, stderr=log)

    def control(self, *words):
        self.run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-t", "300", "-o",
                 f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=", *words)

    def start(self):
        self.control("start")

    def kill(self):
        self.control("stop", "-m", "immediate")

    def ask(self, sql):
        """The rows of the answer as text; None: no answer."""
        told = subprocess.run([self.bin / "psql", "-XqAt", self.address, "-c", sql], capture_output=True, text=True)
        return told.stdout.splitlines() if told.returncode == 0 else None

    def pid(self):
        try:
            return int((self.folder / "data/postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None


class Server:
    """A program that prints the address at which it listens."""

    def __init__(self, command, log):
        self.command, self.log = [str(word) for word in command], Path(log)
        self.process, self.address = None, ""
        self.wanted = False  # whether it should run
        self.starts = []     # seconds that each start took
        self.own_ends = []   # exit codes of ends that nobody asked for

    @property
    def pid(self):
        return self.process.pid if self.process and self.process.poll() is None else None

    def start(self):
        """Whether it listens; False: it ended, as its log says."""
        began, told = time.monotonic(), self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        while time.monotonic() - began < READY:
            found = re.search(rb"Listening on (\S+)", self.log.read_bytes()[told:])
            if found:
                self.address = found[1].decode()
                self.starts.append(time.monotonic() - began)
                self.wanted = True
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.02)
        raise TimeoutError(f"{self.command}: it does not listen after {READY} s")

    def kill(self):
        self.wanted = False
        self.process.kill()
        self.process.wait()

    def stop(self, patience=900):
        """Asks it to end; returns (seconds, exit code)."""
        self.wanted = False
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(patience)
        return time.monotonic() - began, code

    def ended_by_itself(self):
        if not self.wanted or self.process.poll() is None:
            return False
        self.own_ends.append(self.process.returncode)
        self.wanted = False
        return True

    def get(self, path, timeout=120):
        """The body; raises OSError."""
        base, _, token = self.address.partition("/?token=")
        request = urllib.request.Request(f"{base}/{path}")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.read()
