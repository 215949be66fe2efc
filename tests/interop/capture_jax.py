"""A JAX job with a profiler server: `capture_jax.py PORT SECONDS [itself | COORDINATOR_PORT]`.

It trains for so many seconds and prints how many steps it made. With `itself` it profiles itself now
and then, as scripts do, and counts the errors that this gives; with a port it starts JAX's
coordinator there, a gRPC server of another kind.
"""

import os
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from own_profiler import OwnProfiler  # noqa: E402


@jax.jit
def train(weights, batch):
    def loss(w):
        return jnp.mean(jnp.tanh(batch @ w) ** 2)

    return weights - 0.1 * jax.grad(loss)(weights)


def main(port, seconds, more=None):
    if more is not None and more.isdigit():
        jax.distributed.initialize(f"127.0.0.1:{more}", num_processes=1, process_id=0)
    server = jax.profiler.start_server(port)
    own = OwnProfiler(jax.profiler.start_trace, jax.profiler.stop_trace) if more == "itself" else None
    weights, batch = jnp.ones((128, 128)), jnp.ones((64, 128))
    train(weights, batch).block_until_ready()
    print("ready", flush=True)
    step, end = 0, time.time() + seconds
    while time.time() < end:
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            weights = train(weights, batch)
            weights.block_until_ready()
        step += 1
        if own:
            own.step()
        time.sleep(0.002)
    print("steps", step, *(["own profiles", own.profiles, "errors", own.errors] if own else []))
    del server


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
