"""Runs a job whose faults are planted: `goodput_jobs.py OUT torch|jax|recipe`.

Leaves OUT/events, as recorded for Stepscope, and OUT/truth, what happened (goodput_truth.py). The recipe is the
program of docs/goodput-pytorch.md as it stands there; it keeps no truth.
"""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

from goodput_truth import Watcher

HERE = pathlib.Path(__file__).resolve().parent
LONGEST = 300  # s, of one job: an idle machine needs a fourth of it


def environment():
    paths = [str(HERE), str(HERE.parent.parent / "python")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}


def watch(watcher, processes, until):
    """Looks until one of them ends; whether all ended well."""
    while all(process.poll() is None for process in processes) and time.monotonic() < until:
        watcher.look()
        time.sleep(0.02)
    ended = [process.poll() for process in processes]
    if any(ended) or None in ended and time.monotonic() >= until:
        return False
    return None not in ended or watch(watcher, [p for p in processes if p.poll() is None], until)


def kill(processes, watcher):
    for process in processes:
        if process.poll() is None:
            watcher.killed(process.pid)
            process.kill()
        process.wait()
    watcher.look()


def run_torch(out, watcher, until):
    """torchrun restarts its four workers itself."""
    # A store that lives through restarts gives the workers the addresses of dead ones (PyTorch 2.15).
    own_store = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=4",
               "--max-restarts=4", str(HERE / "goodput_torch.py"), str(out)]
    with open(out / "log.txt", "w") as log:
        launcher = subprocess.Popen(command, env=environment() | own_store, stdout=log, stderr=log, start_new_session=True)
    try:
        return watch(watcher, [launcher], until)
    finally:
        if launcher.poll() is None:
            os.killpg(launcher.pid, signal.SIGKILL)
        launcher.wait()
        watcher.look()


def run_jax(out, watcher, until):
    """This is the launcher: when one process dies it kills the other and starts both again."""
    for attempt in range(3):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with open(out / "log.txt", "a") as log:
            processes = [
                subprocess.Popen([sys.executable, str(HERE / "goodput_jax.py"), str(out), str(attempt), str(p), str(port)],
                                 env=environment(), stdout=log, stderr=log)
                for p in range(2)
            ]
        try:
            if watch(watcher, processes, until):
                return True
        finally:
            kill(processes, watcher)
    return False


def run_recipe(out, watcher, until):
    """The platform stops the job once it makes steps; its scheduler starts it again."""
    page = (HERE.parent.parent / "docs" / "goodput-pytorch.md").read_text()
    (out / "train.py").write_text(page.split("```python\n")[1].split("```")[0])
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "--max-restarts=0",
               str(out / "train.py")]
    more = {"STEPSCOPE_GOODPUT_DIR": str(out / "events"), "STEPSCOPE_LABELS": "team=nlp", "STEPS": "400",
            "CHECKPOINT": str(out / "checkpoint.pt")}
    with open(out / "log.txt", "w") as log:
        for stops in (True, False):
            job = subprocess.Popen(command, env=environment() | more, stdout=log, stderr=log, start_new_session=True)
            try:
                while stops and not (out / "checkpoint.pt").exists() and job.poll() is None and time.monotonic() < until:
                    time.sleep(0.05)
                if stops:
                    job.send_signal(signal.SIGTERM)
                job.wait(max(1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                return False
            finally:
                if job.poll() is None:
                    os.killpg(job.pid, signal.SIGKILL)
                    job.wait()
    return job.returncode == 0


def main(out, kind):
    out = pathlib.Path(out).absolute()
    (out / "truth").mkdir(parents=True)
    began = time.monotonic()
    run = {"torch": run_torch, "jax": run_jax, "recipe": run_recipe}[kind]
    ended = run(out, Watcher(out), began + LONGEST)
    print(f"{kind}: {time.monotonic() - began:.1f} s", flush=True)
    if not ended:
        sys.exit(f"{kind}: the job did not end:\n{(out / 'log.txt').read_text()[-3000:]}")


main(*sys.argv[1:])
