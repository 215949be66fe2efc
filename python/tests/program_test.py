"""The command `stepscope` of the wheel does what the plain binary does."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

COMMAND = Path(sys.executable).with_name("stepscope")


def test_the_command_is_on_the_path_and_answers(demo):
    answered = subprocess.run([COMMAND, "analyze", demo, "--format", "json"], capture_output=True, check=True)
    assert "Rank 2 is a straggler" in json.loads(answered.stdout)["verdict"]


def test_exit_codes(demo, run_program):
    assert run_program("--version").stdout.startswith("stepscope ")
    assert run_program("analyze", demo, "--fail-on", "comm_overlap.exposed_ratio>0%").returncode == 1
    failed = run_program("analyze", demo / "nowhere")
    assert failed.returncode == 2
    assert "try:" in failed.stderr and "Traceback" not in failed.stderr


def test_no_color_where_output_is_no_terminal_and_color_in_one(demo):
    import pty

    plain = subprocess.run([COMMAND, "analyze", demo], capture_output=True, check=True)
    assert b"\x1b[" not in plain.stdout
    leader, follower = pty.openpty()
    shown = subprocess.Popen([COMMAND, "analyze", demo], stdout=follower, env={**os.environ, "TERM": "xterm"})
    os.close(follower)
    out = b""
    try:
        while piece := os.read(leader, 65536):
            out += piece
    except OSError:  # the other end is closed
        pass
    assert shown.wait(60) == 0
    assert b"\x1b[" in out


def test_a_reader_that_leaves_early_is_no_error(demo):
    script = f'"{COMMAND}" analyze "{demo}" --format json | head -c 10; echo "${{PIPESTATUS[0]}}"'
    piped = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert piped.stdout.endswith("0\n")
    assert piped.stderr == ""


def test_what_nodes_of_a_cluster_start_is_this_python(demo, tmp_path, run_program):
    made = run_program("cluster", "slurm", demo, "-o", tmp_path / "work", "--dry-run")
    assert f"exec {sys.executable} -m stepscope map {demo} " in made.stdout, made.stdout + made.stderr
    by_command = subprocess.run([COMMAND, "cluster", "slurm", demo, "-o", tmp_path / "work", "--dry-run"],
                                capture_output=True, text=True, check=True)
    assert " -m stepscope map " in by_command.stdout


def test_serve_says_where_and_ends_at_a_signal(demo):
    serving = subprocess.Popen([COMMAND, "serve", demo], stdout=subprocess.PIPE, text=True)
    assert serving.stdout.readline().startswith("Listening on http://127.0.0.1:")
    serving.send_signal(signal.SIGINT)
    assert serving.wait(10) == 0


def test_an_interrupt_ends_it_at_once(tmp_path):
    os.mkfifo(tmp_path / "rank0.json")  # it waits for a trace that never comes
    waiting = subprocess.Popen([COMMAND, "analyze", tmp_path / "rank0.json"], stderr=subprocess.PIPE)
    time.sleep(1)
    if waiting.poll() is not None:
        assert waiting.returncode == 2  # it refuses what is no file
        return
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(5) == -signal.SIGINT
