"""Captures of real PyTorch jobs (CPU, gloo) by `stepscope capture`; each line is one situation and what came of it.

    capture_torch.py STEPSCOPE FOLDER [NAME...]    exit 1 if one is not as it should be

capture_series.py has a long series with hostile timing.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

from capture_series import Job, capture_command, is_alive, rows_of

OTHER_USER = 65534  # nobody


class Situations:
    def __init__(self, stepscope, folder):
        self.stepscope, self.folder, self.failed = stepscope, folder, []

    def job(self, name, workers, *flags, **options):
        job = Job(self.folder / name, workers, 900, *options.values(), flags=flags)
        job.wait_until_ready(600)
        return job

    def run(self, command, code=0):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert code is None or done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
        return done

    def capture(self, job, *options, code=0):
        return rows_of(self.run(capture_command(self.stepscope, job, *options), code).stdout)

    def traces(self, rows):
        return [row for row in rows if row["state"] == "traced"]

    def four_workers(self):
        """4 workers and a data loader: 4 traces with ranks, one start, and a run that opens."""
        job = self.job("four", 4, "--loader")
        try:
            run = str(self.folder / "four" / "run")
            rows = self.traces(self.capture(job, "-o", run))
            assert sorted(row["rank"] for row in rows) == [0, 1, 2, 3], rows
            report = json.loads(self.run([self.stepscope, "analyze", run, "--format", "json"]).stdout)
            assert report["run"]["ranks"] == 4, report["run"]
            assert len(job.alive()) == 4
            listed = self.run(capture_command(self.stepscope, job, "--dry-run")).stdout
            states = {int(row["process"].removeprefix("pid ")): row for row in rows_of(listed)}
            assert all(states[pid]["state"] == "would be traced" for pid in job.pids()), states
            assert states[job.process.pid]["reason"] == "launcher of 4 processes", states
            return "4 of 4 traces; the launcher is not traced, the data loader does not ask"
        finally:
            job.end()

    def sixteen(self):
        """16 processes behind a launcher: 16 traces."""
        job = self.job("sixteen", 16)
        try:
            rows = self.traces(self.capture(job, "-o", str(self.folder / "sixteen" / "run")))
            assert len(rows) == 16 and len(job.alive()) == 16, rows
            return "16 of 16 traces"
        finally:
            job.end()

    def alone(self):
        """One process with sockets in a directory: steps, two at once, a daemon that is restarted, a full disk, SIGKILL of the process."""
        job = self.job("alone", 1, sockets=pathlib.Path(f"/tmp/k{os.getpid()}"))
        folder, said = self.folder / "alone", []
        try:
            rows = self.traces(self.capture(job, "--iterations", "5", "-o", str(folder / "steps")))
            assert len(rows) == 1
            said.append("5 steps")
            commands = [capture_command(self.stepscope, job, "-o", str(folder / name)) for name in ("one", "two")]
            both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    for command in commands]
            answers = [process.communicate(timeout=120) for process in both]
            came = [self.traces(rows_of(out)) for out, _ in answers]
            assert sum(map(len, came)) >= 1 and is_alive(job.pids()[0]), answers
            said.append(f"two at once: {sum(map(len, came))} of 2")
            said.append(self.restarted_daemon(job, folder))
            said.append(self.full_disk(job, folder))
            said.append(self.killed(job, folder))
            return "; ".join(said)
        finally:
            job.end()

    def restarted_daemon(self, job, folder):
        command = [self.stepscope, "capture", "daemon", "--port", "0", "--socket-dir", str(job.sockets)]
        daemon = subprocess.Popen(command, stdout=subprocess.PIPE)
        daemon.stdout.readline()
        first = subprocess.Popen(capture_command(self.stepscope, job, "-o", str(folder / "daemon")), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        daemon.kill()
        daemon.wait()
        daemon = subprocess.Popen(command, stdout=subprocess.PIPE)
        daemon.stdout.readline()
        out, errors = first.communicate(timeout=120)
        row = rows_of(out)[0]
        assert row["state"] == "traced" or row["reason"], (out, errors)
        time.sleep(20)
        rows = self.traces(self.capture(job, "-o", str(folder / "daemon2")))
        daemon.terminate()
        assert daemon.wait() == 0 and len(rows) == 1
        return f"daemon killed meanwhile: {row['reason'] or 'a trace'}, and a trace from the next daemon"

    def full_disk(self, job, folder):
        if os.geteuid() != 0:
            return "full disk: skipped, not root"
        small = folder / "small"
        small.mkdir()
        self.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)])
        try:
            rows = self.capture(job, "-o", str(small / "run"), code=2)
            assert "No space left" in rows[0]["reason"], rows
            trace = pathlib.Path(rows[0]["reason"].rpartition(" ")[2])
            assert trace.stat().st_size > 0
            trace.unlink()
            return "full disk: the trace stays where it was written"
        finally:
            self.run(["umount", str(small)])

    def killed(self, job, folder):
        capture = subprocess.Popen(capture_command(self.stepscope, job, "-o", str(folder / "killed")), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        job.end()
        out, errors = capture.communicate(timeout=120)
        assert "the process ended during the capture" in out, (out, errors)
        return "process killed: it is said"

    def own_profiler(self):
        """A script that profiles itself is left alone."""
        job = self.job("own", 1, "--own-profiler")
        try:
            rows = self.capture(job, "-o", str(self.folder / "own" / "run"), code=2)
            assert "its own profiler" in rows[0]["reason"] and is_alive(job.pids()[0]), rows
            return rows[0]["reason"]
        finally:
            job.end()

    def wrong_pid(self):
        done = self.run([self.stepscope, "capture", "torch", "--pid", "999999999"], 2)
        assert done.stderr.startswith("stepscope: there is no such process"), done.stderr
        done = self.run([self.stepscope, "capture", "torch", "--pid", str(os.getpid())], 2)
        assert "does not ask for captures" in done.stderr, done.stderr
        return "refused, with the reason"

    def other_user(self):
        if os.geteuid() != 0:
            return "skipped: not root"
        python = "/usr/bin/python3"  # that other users can run too
        if not os.access(python, os.X_OK):
            return "skipped: no Python for another user"
        command = [python, "-c", "import socket, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); "
                   "s.bind('\\0dynoconfigclientother\\0'); print(1, flush=True); time.sleep(100)"]
        other = subprocess.Popen(command, user=OTHER_USER, stdout=subprocess.PIPE)
        try:
            other.stdout.readline()
            done = self.run([self.stepscope, "capture", "torch", "--pid", str(other.pid)], 2)
            assert f"it belongs to user {OTHER_USER}" in done.stderr, done.stderr
            return "refused, with the reason"
        finally:
            other.kill()

    def debug_server(self):
        """The debug server: all ranks by the job's store; two at once, of which one is refused."""
        os.environ["DEBUG_PORT"] = "26017"
        job = self.job("debug", 2, "--debug-server")
        try:
            environment = pathlib.Path(f"/proc/{job.pids()[0]}/environ").read_text().split("\0")
            port = next(e.partition("=")[2] for e in environment if e.startswith("MASTER_PORT="))
            command = [self.stepscope, "capture", "debug", "--store", f"127.0.0.1:{port}", "--for", "300ms",
                       "--format", "json"]
            self.run([*command, "-o", str(self.folder / "debug" / "warm")], None)
            run = self.folder / "debug" / "run"
            first = subprocess.Popen([*command, "-o", str(run)], stdout=subprocess.PIPE, text=True)
            time.sleep(0.1)
            second = subprocess.run([*command, "-o", str(run) + "2"], capture_output=True, text=True)
            rows = [rows_of(first.communicate()[0]), rows_of(second.stdout)]
            traced = [len(self.traces(each)) for each in rows]
            assert sorted(traced) == [0, 2] or traced == [2, 2], rows
            assert len(job.alive()) == 2
            kept = run if traced[0] else pathlib.Path(str(run) + "2")
            assert len(list((kept / "stacks").iterdir())) == 2
            both = [pathlib.Path(str(run) + end) / "stacks" for end in ("", "2")]
            assert all(len(list(stacks.iterdir())) == 2 for stacks in both), "a rank that is refused gives its stacks"
            return f"2 of 2 traces with stacks; two at once: {traced}"
        finally:
            job.end()


def main():
    situations = Situations(sys.argv[1], pathlib.Path(sys.argv[2]))
    names = sys.argv[3:] or ["wrong_pid", "other_user", "four_workers", "sixteen", "alone", "own_profiler",
                             "debug_server"]
    failed = 0
    for name in names:
        try:
            print(f"capture: {name}: {getattr(situations, name)()}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"capture: {name}: FAILED: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
