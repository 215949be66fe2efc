"""init(): the file that registers a process, the servers behind it, and what is left after each end."""
import importlib.util
import json
import os
import signal
import socket
import textwrap
import time

import profiler_support as support
import pytest

PROGRAM = """
    import logging
    logging.basicConfig(format="%(message)s")
    import stepscope.profiler

    def registered():
        return sorted(name for name in os.listdir("workers") if not name.startswith(".")) if os.path.isdir("workers") else []
"""

# A server on loopback stands in for that of JAX: import jax finds this module.
STAND_IN = """
import socket, sys, types
held = []

def start_server(port):
    if held:
        raise ValueError("Only one profiler server can be active at a time.")
    held.append(socket.socket())
    held[0].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        held[0].bind(("", port))
        held[0].listen()
    except OSError:
        pass  # as JAX: a server that answers nowhere

profiler = types.SimpleNamespace(start_server=start_server)
distributed = types.SimpleNamespace(is_initialized=lambda: False, process=0)
process_index = lambda: 0
"""


def has(module):
    return importlib.util.find_spec(module) is not None


@pytest.fixture
def run(tmp_path):
    """Runs a program for which `import jax` is the stand-in."""
    (tmp_path / "jax.py").write_text(STAND_IN)

    def started(code, exits=0, **environment):
        return support.run(tmp_path, PROGRAM + code, exits=exits, STEPSCOPE_WORKERS="workers",
                           PYTHONPATH=support.PYTHON + os.pathsep + str(tmp_path), **environment)
    return started


def test_a_process_is_registered_while_it_runs(run, tmp_path):
    said = run("""
    import jax
    worker = stepscope.profiler.init("llm")
    [name] = registered()
    path = os.path.join("workers", name)
    assert name == "llm.second.{}.{}.json".format(os.uname().nodename, os.getpid()), name
    assert oct(os.stat(path).st_mode & 0o777) == "0o600" and oct(os.stat("workers").st_mode & 0o777) == "0o700"
    assert os.path.abspath(path) == worker.path
    print(open(path).read())
    again = stepscope.profiler.init("llm")
    assert again.address == worker.address and registered() == [name] and len(jax.held) == 1
    """, RANK="2", WORLD_SIZE="1", STEPSCOPE_ATTEMPT="second")
    told = json.loads(said)
    host, port = told["address"].split(":")
    assert host == told["host"] == socket.gethostname() and 1024 < int(port) < 65536
    assert abs(told["started"] - time.time()) < 600
    del told["address"], told["started"], told["pid"], told["host"], told["namespace"]
    assert told == {"version": 1, "door": "grpc", "job": "llm", "attempt": "second", "rank": 2, "world_size": 1}
    assert os.listdir(str(tmp_path / "workers")) == []


ENDS = {
    "exit": ("sys.exit(3)", 3),
    "exception": ("raise KeyError('planted')", 1),
    "sigterm": ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", -signal.SIGTERM),
    "kill": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    "handler": ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.1); sys.exit(4)", 4),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_each_end_leaves(run, tmp_path, end):
    code, exits = ENDS[end]
    handler = "signal.signal(signal.SIGTERM, lambda *_: print('its own'))" if end == "handler" else ""
    program = """
    import jax, signal
    {}
    before = signal.getsignal(signal.SIGTERM)
    assert stepscope.profiler.init("llm") and len(registered()) == 1
    assert {!r} != "handler" or signal.getsignal(signal.SIGTERM) is before
    {}
    """.format(handler, end, code)
    if end == "exception":
        with pytest.raises(AssertionError, match="planted"):
            run(program)
    else:
        said = run(program, exits)
        assert ("its own" in said) == (end == "handler")
    left = os.listdir(str(tmp_path / "workers"))
    assert len(left) == (end == "kill")
    if left:  # the next process of this host removes it
        run("    import jax\n    stepscope.profiler.init('llm')\n    assert len(registered()) == 1")
        assert os.listdir(str(tmp_path / "workers")) == []


def test_a_fork_leaves_the_file_of_its_parent(run, tmp_path):
    run("""
    import jax
    stepscope.profiler.init("llm")
    if os.fork() == 0:
        sys.exit(0)  # runs what atexit has
    os.wait()
    assert len(registered()) == 1
    """)


def test_a_port_in_use_is_not_shared(run):
    """Servers of gRPC share a port in silence, and JAX does not say that it could not have one."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("", 0))
        taken.listen()
        said = run("""
    import jax
    worker = stepscope.profiler.init("llm", port={0})
    assert not worker.address.endswith(":{0}") and jax.held[0].getsockname()[1] == int(worker.address.split(":")[1])
    """.format(taken.getsockname()[1]))
    assert "in use" in said


def test_a_server_that_the_program_started(run):
    said = run("""
    import jax
    jax.profiler.start_server(0)
    assert stepscope.profiler.init("llm") is None
    port = jax.held[0].getsockname()[1]
    assert stepscope.profiler.init("llm", port=port).address.endswith(":{}".format(port))
    """)
    assert said.count("runs in this process already") == 1


TENSORFLOW = """
import jax, socket, types  # as tensorflow.lite does

started = []

def start(port):
    started.append(socket.create_server(("", port)))

profiler = types.SimpleNamespace(experimental=types.SimpleNamespace(server=types.SimpleNamespace(start=start)))
"""


@pytest.mark.parametrize("imports, which, says", [
    ("import tensorflow as tf", "tensorflow", False), ("import jax, tensorflow", "jax", True),
    ("import tensorflow; from jax import profiler", "tensorflow", False)])
def test_the_framework_that_the_program_names_is_served(run, tmp_path, imports, which, says):
    """Each imports the other one in places."""
    (tmp_path / "tensorflow.py").write_text(TENSORFLOW)
    said = run("""
    {}
    assert stepscope.profiler.init("llm")
    print(*[name for name in ("tensorflow", "jax") if getattr(sys.modules[name], "started", None) or
            getattr(sys.modules[name], "held", None)])
    """.format(imports))
    assert which in said.splitlines()
    assert ("are both imported" in said) == says


def test_what_cannot_be_registered_is_a_sentence(run, tmp_path):
    said = run("""
    assert stepscope.profiler.init("llm") is None
    import jax
    os.environ["WORLD_SIZE"] = "4"
    sys.modules["jax._src.xla_bridge"] = type(sys)("bridge")
    sys.modules["jax._src.xla_bridge"]._backends = {}
    assert stepscope.profiler.init("llm") is None
    del os.environ["WORLD_SIZE"]
    open("file", "w").close()
    assert stepscope.profiler.init("llm", workers="file/workers") is None
    assert stepscope.profiler.init("llm", framework="torch") is None
    assert stepscope.profiler.init() is not None
    """)
    for part in ("found neither JAX nor", "after jax.distributed.initialize()", "not registered for captures", "found no torch",
                 "this job has no name"):
        assert said.count(part) == 1, said


def test_the_folder_of_a_user_is_private(run, tmp_path):
    run("""
    import jax
    del os.environ["STEPSCOPE_WORKERS"]
    worker = stepscope.profiler.init("llm")
    assert os.path.dirname(worker.path) == os.path.join(os.environ["HOME"], ".local/state/stepscope/workers")
    for folder in (os.path.dirname(worker.path), os.path.dirname(os.path.dirname(worker.path))):
        assert oct(os.stat(folder).st_mode & 0o777) == "0o700"
    """, HOME=str(tmp_path), XDG_STATE_HOME="")


def test_hostile_names_stay_in_the_folder(run, tmp_path):
    run("""
    import jax
    worker = stepscope.profiler.init("../../etc/pass wd" + "x" * 300)
    assert os.path.dirname(worker.path) == os.path.abspath("workers") and len(os.path.basename(worker.path)) < 200
    """)


# The real frameworks.

WITH = PROGRAM + """
    worker = stepscope.profiler.init("llm")
    print(worker.door, worker.address, flush=True)
    if "rank" in os.environ.get("SAY", ""):
        print(worker.who.rank, worker.who.world_size)
"""


def answers(address):
    """Whether a server of HTTP/2 is there: it sends its settings."""
    with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), 10) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
        return connection.recv(9)[3:4] == b"\4"


@pytest.mark.parametrize("module", ["jax", "tensorflow"])
def test_the_server_of_a_framework_answers(tmp_path, module):
    if not has(module):
        pytest.skip("{} is not installed".format(module))
    program = support.start(tmp_path, "import {}\n".format(module) + textwrap.dedent(WITH) + "sys.stdin.read()",
                            STEPSCOPE_WORKERS=str(tmp_path / "workers"), TF_CPP_MIN_LOG_LEVEL="3")
    try:
        door, address = program.stdout.readline().split()
        assert door == "grpc" and answers(address)
    finally:
        program.kill()
        program.communicate()


def test_two_processes_of_jax_have_their_ranks_and_ports(tmp_path):
    if not has("jax"):
        pytest.skip("jax is not installed")
    code = """
    import jax
    jax.distributed.initialize("127.0.0.1:" + sys.argv[2], num_processes=2, process_id=int(sys.argv[1]))
    """ + WITH + """
    print(open(worker.path).read())
    jax._src.distributed.global_state.client.wait_at_barrier("end", 60000)
    """
    said = support.run_ranks(tmp_path, code, 2, lambda rank, port: {"STEPSCOPE_WORKERS": str(tmp_path / "workers")})
    told = [json.loads(next(line for line in text.splitlines() if line.startswith("{"))) for text in said]
    assert [(one["rank"], one["world_size"]) for one in told] == [(0, 2), (1, 2)]
    assert len({one["address"] for one in told}) == 2 and os.listdir(str(tmp_path / "workers")) == []


def test_doors_of_pytorch(tmp_path):
    if not has("torch"):
        pytest.skip("torch is not installed")
    code = "    import torch\n" + PROGRAM + "    print(stepscope.profiler.init('llm', framework='torch'))\n"
    environment = {"STEPSCOPE_WORKERS": str(tmp_path / "workers")}
    assert "set KINETO_USE_DAEMON=1" in support.run(tmp_path, code, **environment)
    assert "door='torch', address='pid " in support.run(tmp_path, code, KINETO_USE_DAEMON="1", **environment)
    late = "    import torch\n    import os\n    os.environ['KINETO_USE_DAEMON'] = '1'\n" + code
    assert "was set after `import torch`" in support.run(tmp_path, late, **environment)


def test_the_debug_server_of_pytorch(tmp_path):
    if not (has("torch") and has("tabulate") and has("aiohttp") and has("jinja2")):
        pytest.skip("torch, tabulate, aiohttp and jinja2 are not all installed")
    code = """
    import torch, torch.distributed
    torch.distributed.init_process_group("gloo")
    from torch.distributed.debug import start_debug_server
    start_debug_server(port=0)
    """ + PROGRAM + """
    print(stepscope.profiler.init("llm", framework="torch"))
    """
    said = support.run(tmp_path, code, STEPSCOPE_WORKERS=str(tmp_path / "workers"), RANK="0", WORLD_SIZE="1",
                       MASTER_ADDR="127.0.0.1", MASTER_PORT=str(support.free_port()))
    assert "rank=0, door='debug', address='" in said
