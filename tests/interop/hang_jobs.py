"""Jobs of PyTorch over gloo that hang on purpose, each with one known fault, and what they leave behind.

    hang_jobs.py FOLDER [CASE...]      writes FOLDER/CASE/rank_N (a Flight Recorder dump) and stack_N.txt

Processes are forked with PyTorch imported, meet at a store in a file, dump from a thread once nothing moves any more,
and are killed then.
"""
import faulthandler
import multiprocessing
import os
import pathlib
import sys
import threading
import time

os.environ["TORCH_FR_BUFFER_SIZE"] = "2000"

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _dump_fr_trace

WORLD = 4
STEPS = 3
MOVES = 6.0  # seconds until every process has started and is stuck


def late_in_python(seconds):
    time.sleep(seconds)


def groups_of(rank):
    """dp x tp = 2 x 2, as Megatron lays them out: this rank's groups."""
    mine = {}
    for name, members in (("tp", [0, 1]), ("tp", [2, 3]), ("dp", [0, 2]), ("dp", [1, 3])):
        group = dist.new_group(members, group_desc=name)
        if rank in members:
            mine[name] = group
    return mine


def train(case, rank):
    x = torch.ones(8)
    groups = groups_of(rank) if case in ("one_of_two_groups", "order_of_groups") else {}
    for step in range(STEPS):
        dist.all_reduce(x)
        for group in groups.values():
            dist.all_reduce(x, group=group)
    if case == "late_host" and rank == 2:
        late_in_python(600)
    if case == "killed" and rank == 1:
        os._exit(1)
    if case == "message_cycle" and rank in (0, 1):
        dist.recv(x, src=1 - rank)
    if case == "operation" and rank == 3:
        dist.all_gather([torch.empty(8) for _ in range(WORLD)], x)
    if case == "shape" and rank == 3:
        dist.all_reduce(torch.ones(1 << 20))
    if case == "type" and rank == 3:
        dist.all_reduce(torch.ones(8, dtype=torch.float64))
    if case == "input" and rank == 1:
        read_input()
    if case == "one_of_two_groups" and rank == 3:
        late_in_python(600)
    swapped = case == "order_of_groups" and rank in (1, 2)
    for group in reversed(groups.values()) if swapped else groups.values():
        dist.all_reduce(x, group=group)
    for _ in range(STEPS):
        dist.all_reduce(x)


def read_input():
    """A loader that waits for a pipe which nobody writes to."""
    ours, _theirs = os.pipe()
    os.read(ours, 1)


def dump(folder, rank):
    (folder / f"rank_{rank}").write_bytes(_dump_fr_trace())
    with open(folder / f"stack_{rank}.txt", "w") as out:
        faulthandler.dump_traceback(out, all_threads=True)


def run(case, rank, folder):
    torch.set_num_threads(1)
    store = dist.FileStore(str(folder / "store"), WORLD)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=WORLD)
    threading.Timer(MOVES, dump, (folder, rank)).start()
    try:
        train(case, rank)
    except RuntimeError as error:  # of gloo, where a peer is gone
        print(f"{case}: rank {rank}: {str(error)[:100]}", file=sys.stderr)
    time.sleep(600)


CASES = ("late_host", "killed", "message_cycle", "operation", "shape", "type", "input", "one_of_two_groups",
         "order_of_groups")


def main():
    root = pathlib.Path(sys.argv[1])
    for case in sys.argv[2:] or CASES:
        folder = root / case
        folder.mkdir(parents=True, exist_ok=True)
        context = multiprocessing.get_context("fork")
        ranks = [context.Process(target=run, args=(case, rank, folder)) for rank in range(WORLD)]
        for process in ranks:
            process.start()
        end = time.time() + 60
        dumped = lambda: len(list(folder.glob("stack_*.txt")))
        alive = lambda: sum(process.is_alive() for process in ranks)
        while time.time() < end and dumped() < alive():
            time.sleep(0.2)
        time.sleep(1)
        for process in ranks:
            process.kill()
            process.join()
        (folder / "store").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
