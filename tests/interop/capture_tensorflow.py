"""A TensorFlow job with a profiler server: `capture_tensorflow.py PORT SECONDS [itself]`.

It trains for so many seconds and prints how many steps it made. With `itself` it profiles itself now
and then, as scripts do, and counts the errors that this gives.
"""

import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402
from own_profiler import OwnProfiler  # noqa: E402


@tf.function
def train(weights, batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.tanh(batch @ weights) ** 2)
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss


def main(port, seconds, more=None):
    tf.profiler.experimental.server.start(port)
    own = OwnProfiler(tf.profiler.experimental.start, tf.profiler.experimental.stop) if more == "itself" else None
    weights, batch = tf.Variable(tf.ones((128, 128))), tf.ones((64, 128))
    train(weights, batch).numpy()
    print("ready", flush=True)
    step, end = 0, time.time() + seconds
    while time.time() < end:
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            train(weights, batch).numpy()
        step += 1
        if own:
            own.step()
        time.sleep(0.002)
    print("steps", step, *(["own profiles", own.profiles, "errors", own.errors] if own else []))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
