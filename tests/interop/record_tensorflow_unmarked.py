"""Profiles training that marks no steps: `record_tensorflow_unmarked.py OUT loop|waits|fit|tensorboard`.

A loop around a tf.function, one that waits for longer than it computes, Keras' fit as it is by
default, or fit as its TensorBoard callback profiles it. Each step takes tens of ms. OUT.truth.json has the ns from the end of one step to the
end of the next, as the program's own clock has them.
"""

import json
import os
import pathlib
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf  # noqa: E402

STEPS = 10
BATCH, WIDTH = 512, 1024


def loop(out, wait=0):
    weights = [tf.Variable(tf.random.normal([WIDTH, WIDTH]) * 0.01) for _ in range(3)]

    @tf.function
    def train(batch):
        with tf.GradientTape() as tape:
            hidden = batch
            for weight in weights:
                hidden = tf.nn.relu(hidden @ weight)
            loss = tf.reduce_mean(hidden**2)
        for weight, gradient in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(0.01 * gradient)
        return loss

    batch = tf.random.normal([BATCH, WIDTH])
    train(batch)
    ends = []
    tf.profiler.experimental.start(out)
    for _ in range(STEPS):
        train(batch)
        time.sleep(wait)
        ends.append(time.perf_counter_ns())
    tf.profiler.experimental.stop()
    return ends


class Ends(tf.keras.callbacks.Callback):
    """Profiles the second epoch, unless something else does."""

    def __init__(self, profile_into):
        super().__init__()
        self.profile_into, self.ends, self.epoch = profile_into, [], 0

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch
        if epoch == 1 and self.profile_into:
            tf.profiler.experimental.start(self.profile_into)

    def on_train_batch_end(self, batch, logs=None):
        if self.epoch == 1:
            self.ends.append(time.perf_counter_ns())

    def on_epoch_end(self, epoch, logs=None):
        if epoch == 1 and self.profile_into:
            tf.profiler.experimental.stop()


def fit(out, callbacks, profile_into):
    layers = [tf.keras.layers.Dense(WIDTH, activation="relu") for _ in range(3)]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    inputs = tf.random.normal([STEPS * BATCH, WIDTH])
    targets = tf.random.normal([STEPS * BATCH, 1])
    ends = Ends(profile_into)
    model.fit(inputs, targets, batch_size=BATCH, epochs=2, verbose=0, callbacks=[ends, *callbacks])
    return ends.ends


def main(out, how):
    if how == "loop":
        ends = loop(out)
    elif how == "waits":
        ends = loop(out, wait=0.2)
    elif how == "fit":
        ends = fit(out, [], out)
    else:
        second_epoch = (STEPS + 1, 2 * STEPS)
        ends = fit(out, [tf.keras.callbacks.TensorBoard(out, profile_batch=second_epoch)], None)
    times = [end - before for before, end in zip(ends, ends[1:])]
    pathlib.Path(out + ".truth.json").write_text(json.dumps(times))


main(*sys.argv[1:])
