"""TraceCallback of Keras on each backend: the asked-for steps are in the trace."""
import importlib.util

import profiler_support as support
import pytest

support.need("keras")

FIT = """
    import logging
    logging.basicConfig(format="%(message)s")
    import keras, numpy
    from stepscope.profiler.keras import TraceCallback

    model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(8), keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    model.fit(numpy.ones((320, 8)), numpy.ones((320, 1)), batch_size=16, epochs=2, verbose=0,
              callbacks=[TraceCallback("runs", steps=range(25, 29))])
"""


@pytest.mark.parametrize("backend", ["torch", "jax", "tensorflow"])
def test_the_steps_of_fit(tmp_path, backend):
    if importlib.util.find_spec(backend) is None:
        pytest.skip("{} is not installed".format(backend))
    said = support.run(tmp_path, FIT, KERAS_BACKEND=backend, TF_CPP_MIN_LOG_LEVEL="3")
    assert "stepscope:" not in said
    assert support.steps_of(tmp_path / "runs") == [25, 26, 27, 28]
