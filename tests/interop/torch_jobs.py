"""Runs PyTorch jobs of several processes over gloo on this CPU: `torch_jobs.py OUT [JOB...]`.

Each leaves OUT/JOB/rankN.json, as torch.profiler writes it, with the stacks of Python. In a job with
a fault, process SLOW does something slow, of some kinds from step SINCE on.
"""

import multiprocessing
import pathlib
import sys
import time

import torch
import torch.distributed as dist
import torch_kinds as kinds

SLOW, SINCE = 1, 9
FIRST, LAST = 3, 14  # the steps that are recorded
FROM_THE_START = ("loader", "batch")

# What runs, in how many processes, and what is wrong with it.
JOBS = {
    "ddp_healthy": (kinds.ddp, 2, None),
    "ddp_transform": (kinds.ddp, 2, "transform"),
    "ddp_loader": (kinds.ddp, 2, "loader"),
    "ddp_batch": (kinds.ddp, 2, "batch"),
    "fsdp_healthy": (kinds.fsdp, 2, None),
    "fsdp_transform": (kinds.fsdp, 2, "transform"),
    "pipeline_healthy": (kinds.pipeline, 3, None),
    "pipeline_stage": (kinds.pipeline, 3, "stage"),
    "pipeline_transform": (kinds.pipeline, 3, "transform"),
    "groups_loader": (kinds.groups, 4, "loader"),
}


def run(out, name, rank):
    kind, world, fault = JOBS[name]
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group(
        "gloo", init_method=f"file://{out}/store", rank=rank, world_size=world
    )
    number = 0

    def faulty(what):
        return what == fault and rank == SLOW and (what in FROM_THE_START or number >= SINCE)

    step = kind(faulty)
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        schedule=torch.profiler.schedule(wait=1, warmup=FIRST - 1, active=LAST - FIRST + 1, repeat=1),
        on_trace_ready=lambda p: p.export_chrome_trace(f"{out}/rank{rank}.json"),
        record_shapes=True,
        with_stack=True,
    ) as profiler:
        for number in range(LAST + 1):
            step()
            profiler.step()
    dist.barrier()
    dist.destroy_process_group()


def main(out, names):
    processes = multiprocessing.get_context("fork")  # torch is imported once
    for name in names or JOBS:
        folder = pathlib.Path(out).absolute() / name
        folder.mkdir(parents=True)
        ranks = [
            processes.Process(target=run, args=(folder, name, rank)) for rank in range(JOBS[name][1])
        ]
        began = time.monotonic()
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join(120)
        ended = [rank.exitcode for rank in ranks]
        for rank in ranks:
            rank.kill()
        (folder / "store").unlink(missing_ok=True)
        if any(code != 0 for code in ended):
            sys.exit(f"{name}: processes ended with {ended}")
        print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
