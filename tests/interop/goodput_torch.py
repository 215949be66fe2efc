"""One rank of a PyTorch job over gloo with planted faults: torchrun starts it, goodput_jobs.py starts torchrun.

Every rank records what it does for Stepscope, and for the test what really happens: goodput_truth.py.
"""

import contextlib
import datetime
import os
import pathlib
import signal
import sys
import time

from goodput_truth import Truth
from stepscope.goodput import Recorder

OUT = pathlib.Path(sys.argv[1])
RANK, ATTEMPT = int(os.environ["RANK"]), int(os.environ["TORCHELASTIC_RESTART_COUNT"])

STEPS, SAVE_EVERY, STEP_S = 30, 5, 0.25
EVALUATE_AFTER = (9, 19)
STALL_BEFORE, STALL_INSIDE = {3: 1.5, 21: 1.5}, {7: 1.5, 26: 1.5}  # the data loader of every rank, s
HANG_S = 6  # how long the others wait for a rank that hangs
SLOW = {25: 3.0}  # s, for no recorded reason
# What happens in each attempt: the rank and the step.
KILLED, CRASHED, PREEMPTED, HUNG = (0, 2, 13), (1, 1, None), (2, 3, 16), (3, 1, 22)

truth = Truth(OUT, ATTEMPT, RANK)
truth.mark("job_start")
recorder = Recorder("planted", directory=OUT / "events", rank=RANK, heartbeat_s=0.2, sync_s=0.1)
recorder.record_job_start_time()
preempted = False


def on_sigterm(*_):
    global preempted
    recorder.record_preemption_notice("SIGTERM")
    if preempted or hanging:
        os._exit(143)  # asked twice, or nobody waits for this rank
    preempted = True


hanging = False
def on_exception(*what):
    """Dies at once: on a loaded machine Python takes seconds to end, in which nothing of the job happens."""
    tell(*what)
    os._exit(1)


signal.signal(signal.SIGTERM, on_sigterm)
tell, sys.excepthook = sys.excepthook, on_exception


@contextlib.contextmanager
def span(what, begin, end, number=None):
    begin()
    with truth.span(what, number):
        yield
    end()


with span("init", recorder.record_tpu_init_start_time, recorder.record_tpu_init_end_time):
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=2))
    training = dist.new_group()
    dist.barrier(training)  # connects it; a loaded machine is slow at that
    dist.set_timeout(datetime.timedelta(seconds=HANG_S), training)

with span("prep", recorder.record_training_preparation_start_time,
          recorder.record_training_preparation_end_time):
    model = torch.nn.Linear(64, 64)
    if (ATTEMPT, RANK) == CRASHED[:2]:
        time.sleep(0.5)
        raise RuntimeError("planted: cannot build the model")
    time.sleep(1)
    dist.barrier()

checkpoint = OUT / "checkpoint.pt"
first = 0
if checkpoint.exists():
    with span("restore", recorder.record_checkpoint_restore_start_time,
              recorder.record_checkpoint_restore_end_time):
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        first = state["step"] + 1
        time.sleep(0.8)
    recorder.record_resume_from(first)


def load(number, seconds):
    with span("load", recorder.record_data_loading_start_time, recorder.record_data_loading_end_time, number):
        time.sleep(seconds)
        return torch.randn(8, 64)


def save(number):
    with span("save", lambda: recorder.record_checkpoint_save_start_time(number),
              lambda: recorder.record_checkpoint_save_end_time(number), number):
        if RANK == 0:
            torch.save({"model": model.state_dict(), "step": number}, f"{checkpoint}.new")
            os.replace(f"{checkpoint}.new", checkpoint)
        time.sleep(0.5)
        dist.barrier()


def evaluate():
    with span("eval", lambda: recorder.record_custom_badput_event_start_time(None, "eval"),
              lambda: recorder.record_custom_badput_event_end_time(None, "eval")):
        time.sleep(1.5)
        dist.barrier()


def plant(number):
    global hanging
    if (ATTEMPT, RANK, number) == KILLED:
        truth.mark("killed")
        os.kill(os.getpid(), signal.SIGKILL)
    if (ATTEMPT, RANK, number) == PREEMPTED:
        os.kill(os.getpid(), signal.SIGTERM)
    if (ATTEMPT, RANK, number) == HUNG:
        truth.mark("hang")
        hanging = True
        while True:
            time.sleep(0.05)


def train(number, batch):
    if number == first:
        with truth.span("compile"):
            time.sleep(1.2)
    if ATTEMPT == 4 and number in SLOW:
        with truth.span("slow"):
            time.sleep(SLOW[number])
    if number in STALL_INSIDE:
        batch = load(number, STALL_INSIDE[number])
    time.sleep(STEP_S)
    plant(number)
    model.zero_grad()
    model(batch).square().mean().backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=training)
    stop = torch.tensor([float(preempted)])
    dist.all_reduce(stop, group=training)
    return stop.item() > 0


for step in range(first, STEPS):
    batch = load(step, STALL_BEFORE.get(step, 0))
    with span("step", lambda: recorder.record_step_start_time(step),
              lambda: recorder.record_step_end_time(step), step):
        stop = train(step, batch)
    if stop:
        save(step)
        if preempted:  # the platform takes its machine
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        continue
    if step in EVALUATE_AFTER:
        evaluate()
    if (step + 1) % SAVE_EVERY == 0 and step + 1 < STEPS:
        save(step)

dist.barrier()
recorder.record_job_end_time()
truth.mark("job_end")
dist.destroy_process_group()
