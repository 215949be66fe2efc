"""Profiles a training loop of TensorFlow whose input is slow on purpose: `record_tensorflow.py OUT`.

A map of the pipeline sleeps 4 ms an element; training takes far less.
"""

import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf  # noqa: E402

STEPS = 10
BATCH = 8


def sleepy(element):
    def sleep(value):
        time.sleep(0.004)
        return value

    result = tf.numpy_function(sleep, [element], tf.float32)
    result.set_shape([32])
    return result


def main(out):
    data = tf.data.Dataset.from_tensor_slices(tf.random.normal([2000, 32]))
    batches = iter(data.map(sleepy).batch(BATCH).repeat())
    weights = [tf.Variable(tf.random.normal([32, 256])), tf.Variable(tf.random.normal([256, 1]))]

    @tf.function
    def train(batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.nn.relu(batch @ weights[0]) @ weights[1]) ** 2)
        for weight, gradient in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(0.01 * gradient)

    train(next(batches))
    tf.profiler.experimental.start(out)
    for step in range(STEPS):
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            train(next(batches))
    tf.profiler.experimental.stop()


main(sys.argv[1])
