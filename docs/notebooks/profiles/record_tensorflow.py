"""Records tensorflow/train.xplane.pb.gz: `python record_tensorflow.py DIR`. Its input is slow on purpose."""
import sys
import time

import numpy as np
import tensorflow as tf


def read_record(x):
    time.sleep(0.02)
    return x


def slow(x, y):
    x = tf.py_function(read_record, [x], tf.float32)
    x.set_shape((None, 64))
    return x, y


random = np.random.default_rng(0)
x, y = random.random((16 * 12, 64), dtype="float32"), random.integers(0, 10, 16 * 12)
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(16).map(slow)

model = tf.keras.Sequential([tf.keras.layers.Dense(128, activation="relu"), tf.keras.layers.Dense(10)])
model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
profile = tf.keras.callbacks.TensorBoard(sys.argv[1], profile_batch=(4, 9), write_graph=False)
model.fit(data, epochs=1, verbose=0, callbacks=[profile])
