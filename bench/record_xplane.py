"""Records a real profile of JAX on the host's processors: `record_xplane.py FOLDER`.

A training loop of 41 annotated steps, each a compiled scan of 1000 turns of 8 small layers: about
4 million events, which JAX links with one another, in 180 to 240 MB by its version. Takes minutes.
"""
import sys

import jax
import jax.numpy as jnp

STEPS = 41
TURNS = 1000


def layer(x, weight):
    y = jnp.tanh(x @ weight)
    y = jnp.sin(y) + jnp.sum(y, axis=0)
    return jnp.sort(y, axis=1)


def turn(x, weights):
    for weight in weights:
        x = layer(x, weight)
    return x, jnp.max(x)


@jax.jit
def train_step(x, weights):
    return jax.lax.scan(lambda x, _: turn(x, weights), x, None, length=TURNS)


def main(folder):
    x = jnp.ones((16, 16))
    weights = [x * 0.01 * (i + 1) for i in range(8)]
    jax.block_until_ready(train_step(x, weights))  # compiled before it is recorded
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    with jax.profiler.trace(folder, profiler_options=options):
        for step in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                jax.block_until_ready(train_step(x, weights))


main(sys.argv[1])
