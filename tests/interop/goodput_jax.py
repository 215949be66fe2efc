"""One process of a JAX job over gloo with planted faults: `goodput_jax.py OUT ATTEMPT PROCESS PORT`.

Every process records what it does for Stepscope, and for the test what really happens: goodput_truth.py.
"""

import contextlib
import os
import pathlib
import signal
import sys
import time

from goodput_truth import Truth
from stepscope.goodput import Recorder

OUT = pathlib.Path(sys.argv[1])
ATTEMPT, PROCESS, PORT = map(int, sys.argv[2:])
PROCESSES = 2
STEPS, SAVE_EVERY, STEP_S = 16, 4, 0.25
STALL_BEFORE, STALL_INSIDE = {2: 1.0, 13: 1.0}, {5: 1.0}  # s
EVALUATE_AFTER = (3, 11)
KILLED = (0, 1, 9)  # attempt, process, step

truth = Truth(OUT, ATTEMPT, PROCESS)
truth.mark("job_start")
recorder = Recorder("planted-jax", directory=OUT / "events", rank=PROCESS, heartbeat_s=0.2,
                    sync_s=0.1)
recorder.record_job_start_time()


@contextlib.contextmanager
def span(what, begin, end, number=None):
    begin()
    with truth.span(what, number):
        yield
    end()


with span("init", recorder.record_tpu_init_start_time, recorder.record_tpu_init_end_time):
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{PORT}", PROCESSES, PROCESS)
    mesh = Mesh(jax.devices(), ("data",))
    by_row, whole = NamedSharding(mesh, PartitionSpec("data")), NamedSharding(mesh, PartitionSpec())


def place(array, sharding):
    return jax.make_array_from_process_local_data(sharding, array)


@jax.jit
def train_step(weights, batch):
    gradient = jax.grad(lambda w: jnp.mean((batch @ w) ** 2))(weights)
    return weights - 1e-4 * gradient


generator = np.random.default_rng(PROCESS)
with span("prep", recorder.record_training_preparation_start_time,
          recorder.record_training_preparation_end_time):
    weights = place(np.ones((64, 64), "float32"), whole)
    batch = place(np.ones((32, 64), "float32"), by_row)
    jax.block_until_ready(train_step(weights, batch))  # compiled, and the processes have met

checkpoint, first = OUT / "checkpoint.npz", 0
if checkpoint.exists():
    with span("restore", recorder.record_checkpoint_restore_start_time,
              recorder.record_checkpoint_restore_end_time):
        state = np.load(checkpoint)
        weights, first = place(state["weights"], whole), int(state["step"]) + 1
        time.sleep(0.8)
    recorder.record_resume_from(first)


def load(number, seconds):
    with span("load", recorder.record_data_loading_start_time, recorder.record_data_loading_end_time, number):
        time.sleep(seconds)
        return place(generator.standard_normal((32, 64), dtype="float32"), by_row)


def save(number):
    with span("save", lambda: recorder.record_checkpoint_save_start_time(number),
              lambda: recorder.record_checkpoint_save_end_time(number), number):
        if PROCESS == 0:
            np.savez(OUT / "new.npz", weights=np.asarray(weights), step=number)
            os.replace(OUT / "new.npz", checkpoint)
        time.sleep(0.5)


def train(number, batch):
    if number in STALL_INSIDE:
        batch = load(number, STALL_INSIDE[number])
    time.sleep(STEP_S)
    if (ATTEMPT, PROCESS, number) == KILLED:
        os.kill(os.getpid(), signal.SIGKILL)
    return jax.block_until_ready(train_step(weights, batch))


for step in range(first, STEPS):
    batch = load(step, STALL_BEFORE.get(step, 0))
    with span("step", lambda: recorder.record_step_start_time(step),
              lambda: recorder.record_step_end_time(step), step):
        weights = train(step, batch)
    if step in EVALUATE_AFTER:
        with span("eval", lambda: recorder.record_custom_badput_event_start_time(None, "eval"),
                  lambda: recorder.record_custom_badput_event_end_time(None, "eval")):
            time.sleep(1)
    if (step + 1) % SAVE_EVERY == 0 and step + 1 < STEPS:
        save(step)

recorder.record_job_end_time()
truth.mark("job_end")
jax.distributed.shutdown()
