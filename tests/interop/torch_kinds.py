"""Defines training jobs of PyTorch over gloo: each makes the function that does one step.

`faulty(kind)` says whether this process does the fault in the step under way (torch_jobs.py).
"""

import time

import torch
import torch._dynamo  # what optimizers import in each process otherwise
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe

WIDTH, BATCH = 192, 48


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.act, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(self.act(self.up(x)))


class Net(nn.Module):
    def __init__(self, faulty=lambda kind: False, blocks=2):
        super().__init__()
        self.blocks, self.faulty = nn.ModuleList(Block() for _ in range(blocks)), faulty

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.normalize_again(x) if self.faulty("stage") else x

    def normalize_again(self, x):
        for _ in range(200):
            x = nn.functional.layer_norm(x, (WIDTH,))
        return x


def slow_transform(batch):
    """Python by itself: no operators, no calls."""
    total = 0
    for i in range(2_000_000):
        total = (31 * total + i) % 1_000_003
    return batch + total * 0


class Batches(torch.utils.data.Dataset):
    def __init__(self, faulty):
        self.faulty = faulty

    def __len__(self):
        return 1_000

    def __getitem__(self, index):
        if self.faulty("loader"):
            self.read_slowly()
        rows = 12 * BATCH if self.faulty("batch") else BATCH
        return torch.randn(rows, WIDTH)

    def read_slowly(self):
        time.sleep(0.150)


def training(model, optimizer, faulty, reduce_gradients=lambda: None):
    batches = iter(torch.utils.data.DataLoader(Batches(faulty), batch_size=None))

    def step():
        batch = next(batches)
        if faulty("transform"):
            batch = slow_transform(batch)
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        reduce_gradients()
        optimizer.step()

    return step


def ddp(faulty):
    model = nn.parallel.DistributedDataParallel(Net())
    return training(model, torch.optim.AdamW(model.parameters()), faulty)


def fsdp(faulty):
    mesh = dist.device_mesh.init_device_mesh("cpu", (dist.get_world_size(),))
    model = Net()
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return training(model, torch.optim.AdamW(model.parameters()), faulty)


def groups(faulty):
    """Tensor groups [0, 1] and [2, 3], data groups [0, 2] and [1, 3]."""
    rank = dist.get_rank()
    tensor = [dist.new_group(ranks) for ranks in ([0, 1], [2, 3])][rank // 2]
    data = [dist.new_group(ranks) for ranks in ([0, 2], [1, 3])][rank % 2]
    model = Net()

    def reduce_gradients():
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad, group=data)
        dist.all_reduce(torch.ones(5_000), group=tensor)

    return training(model, torch.optim.SGD(model.parameters()), faulty, reduce_gradients)


def pipeline(faulty):
    rank, world = dist.get_rank(), dist.get_world_size()
    model = Net(faulty, blocks=2)
    stage = PipelineStage(model, rank, world, torch.device("cpu"))
    schedule = ScheduleGPipe(stage, n_microbatches=4, loss_fn=nn.functional.mse_loss)
    optimizer = torch.optim.SGD(model.parameters())
    batch = torch.randn(4 * BATCH, WIDTH)

    def step():
        optimizer.zero_grad()
        if faulty("transform"):
            slow_transform(batch)
        inputs = [batch] if rank == 0 else []
        schedule.step(*inputs, **({"target": batch} if rank == world - 1 else {}))
        optimizer.step()

    return step
