"""Records jax/train.xplane.pb.gz: `python record_jax.py DIR`. Its input is slow on purpose."""
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

random = np.random.default_rng(0)


def load_batch():
    time.sleep(0.008)
    return random.standard_normal((64, 256), dtype=np.float32)


@jax.jit
def train_step(weights, batch):
    def loss(weights):
        return jnp.mean((jnp.tanh(batch @ weights[0]) @ weights[1]) ** 2)

    return [one - 1e-3 * slope for one, slope in zip(weights, jax.grad(loss)(weights))]


weights = [jnp.ones((256, 512)), jnp.ones((512, 64))]
weights = jax.block_until_ready(train_step(weights, load_batch()))  # compiled before it is recorded

options = jax.profiler.ProfileOptions()
options.python_tracer_level = 1
with jax.profiler.trace(sys.argv[1], profiler_options=options):
    for step in range(6):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            weights = jax.block_until_ready(train_step(weights, load_batch()))
