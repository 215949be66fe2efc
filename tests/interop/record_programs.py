"""Profiles compiled programs of JAX: `record_programs.py OUT`.

They cover the arithmetic that XLA counts. What its compiler says of each, its costs and its
memory, goes to OUT.truth.json.
"""

import json
import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
from jax import lax

KEYS = {
    "arguments": "argument_size_in_bytes",
    "outputs": "output_size_in_bytes",
    "temporaries": "temp_size_in_bytes",
    "aliased": "alias_size_in_bytes",
}


def product(a, b):
    return a @ b


def elements(x):
    return jnp.where(x > 0, x * 2 + 1, -x)


def functions(x):
    return jnp.exp(x) + jnp.tanh(x) * lax.rsqrt(x + 2)


def sums(x):
    return jnp.sum(x * x), jnp.max(x, axis=0)


def convolution(images, kernel):
    return lax.conv_general_dilated(images, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def windows(x):
    return lax.reduce_window(x, 0.0, lax.add, (4, 4), (2, 2), "VALID")


def pick(x, rows):
    return x[rows] * 2


def put(x, rows, values):
    return x.at[rows].add(values)


def order(x):
    return jnp.sort(x)


def turns(x):
    return lax.scan(lambda c, _: (jnp.tanh(c @ c), None), x, None, length=5)[0]


def layer(w, x):
    return jnp.tanh(x @ w)


def loss(weights, x):
    for w in weights:
        x = jax.checkpoint(layer)(w, x)
    return jnp.mean(x**2)


def train(weights, x):
    return [w - 0.1 * g for w, g in zip(weights, jax.grad(loss)(weights, x))]


def add(x):
    return lax.psum(x * 2, "device")


PROGRAMS = [
    (product, [(64, 128), (128, 32)]),
    (elements, [(1000, 64)]),
    (functions, [(1000, 64)]),
    (sums, [(512, 256)]),
    (convolution, [(4, 28, 28, 8), (3, 3, 8, 16)]),
    (windows, [(64, 64)]),
    (order, [(4096,)]),
    (turns, [(64, 64)]),
]


def cases():
    for function, shapes in PROGRAMS:
        yield function.__name__, jax.jit(function), [jnp.ones(shape) for shape in shapes]
    rows = jnp.arange(0, 64, 4)
    yield "pick", jax.jit(pick), [jnp.ones((64, 128)), rows]
    yield "put", jax.jit(put), [jnp.ones((64, 128)), rows, jnp.ones((16, 128))]
    weights = [jnp.ones((256, 256)) for _ in range(4)]
    yield "train", jax.jit(train, donate_argnums=0), [weights, jnp.ones((128, 256))]


def told(compiled):
    cost = compiled.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost
    memory = compiled.memory_analysis()
    truth = {ours: getattr(memory, theirs) for ours, theirs in KEYS.items()}
    truth["peak"] = getattr(memory, "peak_memory_in_bytes", 0)
    truth["flops"] = cost.get("flops", 0)
    truth["transcendentals"] = cost.get("transcendentals", 0)
    truth["bytes"] = cost.get("bytes accessed", 0)
    return truth


def main(out):
    truth, calls = {}, []
    for name, function, arguments in cases():
        truth[name] = told(function.lower(*arguments).compile())
        calls.append((function, arguments))
    calls.append((jax.pmap(add, axis_name="device"), [jnp.ones((8, 1024))]))
    with jax.profiler.trace(out):
        for function, arguments in calls:
            jax.block_until_ready(function(*arguments))
    pathlib.Path(f"{out}.truth.json").write_text(json.dumps(truth, indent=1))


main(sys.argv[1])
