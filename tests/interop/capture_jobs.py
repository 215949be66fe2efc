"""PyTorch jobs for captures: a process alone, or a worker of torchrun, that trains until its time is over.

    capture_jobs.py SECONDS [--own-profiler] [--loader] [--debug-server] --ready FOLDER

Each process says in FOLDER/PID that it has begun to train, and writes "done" there when it ends in order.
"""
import argparse
import os
import pathlib
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 1 << 30

    def __getitem__(self, index):
        return torch.full((64,), float(index % 7))


def train(options, model, say):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    batches = iter(DataLoader(Numbers(), batch_size=8, num_workers=1 if options.loader else 0))
    end, over, steps = time.time() + options.seconds, torch.zeros(1), 0
    while True:
        over[0] = float(time.time() > end)
        if dist.is_initialized():
            dist.broadcast(over, 0)
        if over[0]:
            return
        optimizer.zero_grad()
        model(next(batches)).sum().backward()
        optimizer.step()
        time.sleep(0.1)
        steps += 1
        if steps == 3:
            say("training")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float)
    parser.add_argument("--own-profiler", action="store_true")
    parser.add_argument("--loader", action="store_true")
    parser.add_argument("--debug-server", action="store_true")
    parser.add_argument("--ready", type=pathlib.Path, required=True)
    options = parser.parse_args()
    say = (options.ready / str(os.getpid())).write_text
    torch.set_num_threads(1)
    model = torch.nn.Linear(64, 64)
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
        model = torch.nn.parallel.DistributedDataParallel(model)
    if options.debug_server:
        from torch.distributed.debug import start_debug_server
        start_debug_server(port=int(os.environ["DEBUG_PORT"]))
    if options.own_profiler:
        with torch.profiler.profile():
            train(options, model, say)
    else:
        train(options, model, say)
    if dist.is_initialized():
        dist.barrier()
        dist.destroy_process_group()
    say("done")


main()
