"""`init`: starts the profiler server of JAX or TensorFlow, and registers this process for `stepscope capture`."""
import os
import socket
import sys
import types
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from stepscope.goodput._launch import world_size_of_process
from stepscope.profiler._problems import LOGGER, problem
from stepscope.profiler._who import this_process
from stepscope.profiler._worker import Worker, folder_of_workers

_worker: Optional[Worker] = None
_port = 0  # of the server that init() started


class Door(NamedTuple):
    """How this process can be profiled from outside."""

    door: str
    address: str


def init(job: Optional[str] = None, port: int = 0, workers: Any = None, *,
         framework: Optional[str] = None) -> Optional[Worker]:
    """Lets `stepscope capture` find and profile this process. Call it once JAX, TensorFlow or PyTorch is imported, and
    after jax.distributed.initialize().

    Starts the profiler server of JAX or TensorFlow. It listens on all interfaces of the host. For PyTorch it
    registers the debug server if one runs, or else the process itself, which polls with KINETO_USE_DAEMON=1. A second
    call registers again, with the rank that is known by then. Never raises.

    Args:
      job: its name, the same on all ranks (default: that of the goodput recorder, $STEPSCOPE_JOB, or the scheduler's).
      port: of the server (default: a free one).
      workers: the folder to register in (default: $STEPSCOPE_WORKERS, or
        ~/.local/state/stepscope/workers).
      framework: "jax", "tensorflow" or "torch" (default: what the program imported).

    Returns what was registered; None where nothing was, for the reason that a warning says.
    """
    try:
        return _init(job, port, workers, framework)
    except Exception as error:
        problem("this process is not registered for captures: {}: {}".format(type(error).__name__, error))
        return None


def _init(job: Optional[str], port: int, workers: Any, framework: Optional[str]) -> Optional[Worker]:
    global _worker
    door = _door(port, framework)
    if door is None:
        return None
    who = this_process(job)
    if not who.job:
        problem("this job has no name, so `job:NAME` cannot find it; give init(job=...)")
    worker = Worker(who, door.door, door.address, folder_of_workers(workers))
    if _worker is not None and _worker.path != worker.path:
        _worker.remove()
    worker.register()
    _worker = worker
    LOGGER.info("stepscope: registered %r in %s", worker, worker.path)
    return worker


def _door(port: int, framework: Optional[str]) -> Optional[Door]:
    name = framework or _framework()
    if name is not None and name not in sys.modules:
        problem("init() found no {}: import it first".format(name))
        return None
    if name == "jax":
        return _grpc(_start_jax, port) if _may_choose_devices() else None
    if name == "tensorflow":
        return _grpc(_start_tensorflow, port)
    return None if name is None else _torch()


def _framework() -> Optional[str]:
    """Which of the imported ones is to be profiled."""
    imported = [name for name in ("jax", "tensorflow") if name in sys.modules]
    if len(imported) == 2:
        return _used_of_both()
    if not imported and "torch" not in sys.modules:
        problem("init() found neither JAX nor TensorFlow nor PyTorch: call it after `import jax`, and the like")
        return None
    return imported[0] if imported else "torch"


def _used_of_both() -> str:
    """JAX or TensorFlow: each imports the other in places. JAX once it computed, else the one that the program names."""
    if getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", None):
        return "jax"
    named = {value.__name__.partition(".")[0] for names in _names_of_callers() for value in list(names.values())
             if isinstance(value, types.ModuleType)}
    if ("jax" in named) != ("tensorflow" in named):
        return "jax" if "jax" in named else "tensorflow"
    problem("JAX and TensorFlow are both imported: the profiler server is JAX'; give init(framework=\"tensorflow\") for the "
            "other one")
    return "jax"


def _names_of_callers() -> List[Dict[str, Any]]:
    found, frame = [vars(sys.modules["__main__"])], sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return [*found, frame.f_globals]


def _may_choose_devices() -> bool:
    """Whether JAX' server, which chooses the devices, leaves jax.distributed.initialize() nothing to complain of."""
    jax = sys.modules["jax"]
    bridge = sys.modules.get("jax._src.xla_bridge")
    if (world_size_of_process() or 1) == 1 or jax.distributed.is_initialized() or getattr(bridge, "_backends", True):
        return True
    problem("this job has several processes: call init() after jax.distributed.initialize(), or after the first computation")
    return False


# JAX and TensorFlow.

def _grpc(start: Callable[[int], None], port: int) -> Optional[Door]:
    global _port
    if not (_port and _is_ours(_port)):
        try:
            _port = _started(start, port)
        except ValueError:  # JAX: one server per process
            if not port or not _is_ours(port):
                problem("a profiler server runs in this process already, on a port that JAX does not tell: give it as "
                        "init(port=...)")
                return None
            _port = port
    return Door("grpc", "{}:{}".format(socket.gethostname(), _port))


def _started(start: Callable[[int], None], port: int) -> int:
    """Starts the server, and returns the port on which it answers. Neither JAX nor TensorFlow says that it failed."""
    if port and _is_ours(port):  # the program started it; TensorFlow would start another one
        raise ValueError
    if port and not _is_free(port):
        problem("port {} is in use, so the profiler server has another one".format(port))
        port = 0
    for _ in range(5):
        chosen = port or _free_port()
        start(chosen)
        if _is_ours(chosen):
            return chosen
        if start is _start_jax:
            break  # it has its one server, which answers nowhere
    raise OSError("the profiler server does not answer on port {}".format(chosen))


def _start_jax(port: int) -> None:
    sys.modules["jax"].profiler.start_server(port)


def _start_tensorflow(port: int) -> None:
    sys.modules["tensorflow"].profiler.experimental.server.start(port)


def _sockets() -> List[socket.socket]:
    made = [socket.socket(socket.AF_INET, socket.SOCK_STREAM)]
    if socket.has_ipv6:
        try:
            made.append(socket.socket(socket.AF_INET6, socket.SOCK_STREAM))
            made[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        except OSError:
            del made[1:]
    return made


def _is_free(port: int) -> bool:
    """Whether nobody listens there. Servers of gRPC share a port in silence, and each request would go to either."""
    made = _sockets()
    try:
        for one in made:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("", port))
        return True
    except OSError:
        return False
    finally:
        for one in made:
            one.close()


def _free_port() -> int:
    for _ in range(20):
        with socket.socket() as free:
            free.bind(("", 0))
            port = free.getsockname()[1]
        if _is_free(port):
            return port
    raise OSError("there is no free port")


def _is_ours(port: int) -> bool:
    """Whether a socket of this process listens on the port."""
    own = _inodes_of_process()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        for words in _rows(table):
            listening = len(words) > 9 and words[3] == "0A"
            if listening and words[1].endswith(":{:04X}".format(port)) and words[9] in own:
                return True
    return False


def _rows(path: str) -> List[List[str]]:
    try:
        with open(path) as file:
            return [line.split() for line in file]
    except OSError:
        return []


def _inodes_of_process() -> set:
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            link = os.readlink("/proc/self/fd/" + name)
        except OSError:
            continue
        if link.startswith("socket:["):
            found.add(link[8:-1])
    return found


# PyTorch.

def _torch() -> Optional[Door]:
    address = _address_of_debug_server()
    if address:
        return Door("debug", address)
    if _polls():
        return Door("torch", "pid {}".format(os.getpid()))
    if os.environ.get("KINETO_USE_DAEMON"):
        problem("KINETO_USE_DAEMON was set after `import torch`, or PyTorch is without Kineto, so nothing asks for captures: "
                "set it before, in the environment of the job")
    else:
        problem("PyTorch cannot be profiled from outside: set KINETO_USE_DAEMON=1 in the environment of the job, or call "
                "torch.distributed.debug.start_debug_server() before init()")
    return None


def _address_of_debug_server() -> str:
    path = os.environ.get("TORCH_WORKER_SERVER_SOCKET")
    if path:
        return "unix:" + path
    server = getattr(sys.modules.get("torch.distributed.debug"), "_WORKER_SERVER", None)
    return "{}:{}".format(socket.gethostname(), server.port) if server is not None else ""


def _polls() -> bool:
    """Whether libkineto asks for captures: it then has a socket of this name."""
    own = _inodes_of_process()
    return any(len(words) > 7 and words[6] in own and "dynoconfigclient" in words[7] for words in _rows("/proc/self/net/unix"))


