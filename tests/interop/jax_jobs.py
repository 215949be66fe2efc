"""Runs JAX jobs of two processes over gloo on this CPU: `jax_jobs.py OUT`.

Each leaves OUT/JOB/<process>/...xplane.pb. In jax_slow_input process SLOW reads its batches slowly.
"""

import os
import pathlib
import socket
import subprocess
import sys
import time

PROCESSES, SLOW, STEPS = 2, 1, 10
JOBS = {"jax_healthy": False, "jax_slow_input": True}


def read_batch(generator, slow):
    if slow:
        time.sleep(0.060)
    return generator.standard_normal((128, 256), dtype="float32")


def run(out, slow_input, process, port):
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"127.0.0.1:{port}", PROCESSES, process)
    mesh = Mesh(jax.devices(), ("data",))
    by_row, whole = NamedSharding(mesh, PartitionSpec("data")), NamedSharding(mesh, PartitionSpec())

    def loss(weights, batch):
        return jnp.mean((jnp.tanh(batch @ weights[0]) @ weights[1]) ** 2)

    @jax.jit
    def train_step(weights, batch):
        gradients = jax.grad(loss)(weights, batch)
        return [w - 1e-4 * g for w, g in zip(weights, gradients)]

    def place(array, sharding):
        return jax.make_array_from_process_local_data(sharding, array)

    generator = np.random.default_rng(process)
    weights = [place(np.ones(shape, "float32"), whole) for shape in ((256, 512), (512, 64))]
    slow = slow_input and process == SLOW

    def step(weights):
        batch = place(read_batch(generator, slow), by_row)
        return jax.block_until_ready(train_step(weights, batch))

    for _ in range(2):  # compiled before it is recorded
        weights = step(weights)
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 1
    with jax.profiler.trace(f"{out}/{process}", profiler_options=options):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                weights = step(weights)
    jax.distributed.shutdown()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def main(out):
    for name, slow_input in JOBS.items():
        folder, port = pathlib.Path(out) / name, free_port()
        began = time.monotonic()
        command = [sys.executable, __file__, str(folder), str(int(slow_input))]
        processes = [
            subprocess.Popen([*command, str(process), str(port)], env=os.environ)
            for process in range(PROCESSES)
        ]
        ended = [process.wait(120) for process in processes]
        if any(ended):
            sys.exit(f"{name}: processes ended with {ended}")
        print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)


if len(sys.argv) == 2:
    main(sys.argv[1])
else:
    run(sys.argv[1], bool(int(sys.argv[2])), *map(int, sys.argv[3:]))
