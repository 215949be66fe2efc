"""Profiles a small training loop of JAX: `record_jax.py OUT [annotated]`.

Annotated, each step is a StepTraceAnnotation numbered from 10 on; otherwise nothing marks steps.
"""

import contextlib
import sys

import jax
import jax.numpy as jnp

STEPS = 8


def loss(weights, batch):
    hidden = jnp.tanh(batch @ weights[0])
    return jnp.mean((hidden @ weights[1]) ** 2)


@jax.jit
def train_step(weights, batch):
    gradients = jax.grad(loss)(weights, batch)
    return [w - 1e-4 * g for w, g in zip(weights, gradients)]


def main(out, annotated):
    weights = [jnp.ones((256, 512)), jnp.ones((512, 64))]
    batch = jnp.ones((128, 256))
    weights = jax.block_until_ready(train_step(weights, batch))  # compiled before it is recorded
    with jax.profiler.trace(out):
        for step in range(STEPS):
            mark = (
                jax.profiler.StepTraceAnnotation("train", step_num=10 + step)
                if annotated
                else contextlib.nullcontext()
            )
            with mark:
                weights = jax.block_until_ready(train_step(weights, batch))


main(sys.argv[1], "annotated" in sys.argv[2:])
