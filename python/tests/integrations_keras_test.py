"""GoodputCallback in fit of Keras, on PyTorch and on JAX."""
import importlib.util
import signal

import pytest

import integrations_support as support

support.need("keras")
BACKENDS = [name for name in ("torch", "jax") if importlib.util.find_spec(name)]
if not BACKENDS:
    pytest.skip("neither torch nor jax is installed", allow_module_level=True)

from stepscope.goodput import Kind  # noqa: E402

PROGRAM = """
    import signal
    import keras
    import numpy
    from stepscope.integrations.keras import GoodputCallback

    class Slow(keras.utils.PyDataset):
        def __init__(self, batches=10, spends="loading"):
            super().__init__()
            self.batches, self.spends = batches, spends

        def __len__(self):
            return self.batches

        def __getitem__(self, index):
            spend(self.spends, 0.02)
            return numpy.full((4, 8), index, dtype="float32"), numpy.ones((4, 1), dtype="float32")

    class Step(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            time.sleep(0.01)
            print("step", batch, flush=True)

    class Slower(keras.callbacks.ModelCheckpoint):
        def set_model(self, model):
            super().set_model(model)
            save = model.save_weights

            def slow(*arguments, **options):
                spend("save", 0.1)
                return save(*arguments, **options)

            object.__setattr__(model, "save_weights", slow)

    def make(**options):
        model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
        model.compile(optimizer=keras.optimizers.SGD(1e-4, **options), loss="mse")
        return model

    def saves(**options):
        return Slower("saved.weights.h5", save_weights_only=True, **options)
"""


@pytest.fixture(params=BACKENDS)
def keras(request, tmp_path):
    """Runs programs on one of the backends."""
    def run(code, **options):
        return support.run(tmp_path, PROGRAM + code, KERAS_BACKEND=request.param, **options)
    return run


def test_a_fit_with_checkpoints_and_validation(keras, tmp_path):
    keras("""
    model, callback = make(), GoodputCallback("keras")
    before = dict(vars(model))
    save = saves(save_freq="epoch")
    model.fit(Slow(), epochs=2, validation_data=Slow(3, "eval"), callbacks=[callback, save, Step()], verbose=0)
    assert "save" not in vars(model) and not callback.recording.is_open
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert int(model.optimizer.iterations) == 20
    """)
    answer = support.analyze(tmp_path)
    # fit may load a batch before training, to build the model.
    spent = support.check(tmp_path, answer, less=0.03, save=1, eval=1)
    assert spent["loading"] >= 0.4 and spent["save"] >= 0.2 and spent["eval"] >= 0.12
    assert support.steps(tmp_path) == list(range(20))
    assert support.kinds(tmp_path, Kind.CHECKPOINT_SAVE_END) == [9, 19]
    assert (answer.metrics["max_productive_step"], answer.metrics["state"]) == (19, "ended")
    assert answer.notes == []


def test_a_restart_restores_and_goes_on(keras, tmp_path):
    code = """
    class Fails(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if "FAIL" in os.environ and int(self.model.optimizer.iterations) == 13:
                raise RuntimeError("planted")

    backup = keras.callbacks.BackupAndRestore("backup")
    make().fit(Slow(), epochs=2, callbacks=[GoodputCallback("keras"), backup, Fails(), Step()], verbose=0)
    """
    assert "RuntimeError: planted" in keras(code, FAIL="1", exits=1)
    keras(code)
    answer = support.analyze(tmp_path)
    # On JAX the failing callback comes before step 13 has its batch, so the step has not begun.
    assert support.steps(tmp_path) in ([*range(begun), *range(10, 20)] for begun in (13, 14))
    assert support.kinds(tmp_path, Kind.PROCESS_END) == ["exception RuntimeError: planted"]
    assert support.kinds(tmp_path, Kind.RESUME_FROM) == [10]
    assert len(support.kinds(tmp_path, Kind.CHECKPOINT_RESTORE_END)) == 1
    assert (answer.metrics["attempts"], answer.metrics["disruptions"]) == (2, 1)
    assert answer.metrics["max_productive_step"] == 19


def test_a_generator_that_ends_and_accumulated_gradients(keras, tmp_path):
    said = keras("""
    def batches():
        for k in range(7):
            spend("loading", 0.02)
            yield numpy.ones((4, 8), dtype="float32"), numpy.ones((4, 1), dtype="float32")

    model = make(gradient_accumulation_steps=2)
    model.fit(batches(), epochs=2, steps_per_epoch=5, callbacks=[GoodputCallback("keras"), Step()], verbose=0)
    """)
    assert "ran out of data" in said
    assert support.steps(tmp_path) == list(range(7))
    assert support.analyze(tmp_path).seconds[support.LOADING] >= 0.09  # fit has loaded the first batch before


def test_a_generator_of_unknown_length(keras, tmp_path):
    keras("""
    def batches():
        for k in range(5):
            spend("loading", 0.02)
            yield numpy.ones((4, 8), dtype="float32"), numpy.ones((4, 1), dtype="float32")

    make().fit(batches(), epochs=1, callbacks=[GoodputCallback("keras"), Step()], verbose=0)
    """)
    assert support.steps(tmp_path) == list(range(5)) and support.kinds(tmp_path, Kind.STEP_END) == [4]


def test_fits_of_one_job(keras, tmp_path):
    keras("""
    model, callback = make(), GoodputCallback("keras", keep_open=True)
    for _ in range(3):
        model.fit(Slow(2), callbacks=[callback], verbose=0)
    model.evaluate(Slow(1), callbacks=[callback], verbose=0)  # no training: not recorded
    """)
    answer = support.analyze(tmp_path)
    assert support.steps(tmp_path) == list(range(6)) and support.kinds(tmp_path, Kind.CUSTOM_BEGIN) == []
    assert [len(support.kinds(tmp_path, kind)) for kind in (Kind.JOB_START, Kind.JOB_END)] == [1, 1]
    assert (answer.metrics["attempts"], answer.metrics["state"]) == (1, "ended") and answer.notes == []


def test_steps_of_several_batches_on_jax(tmp_path):
    support.need("jax")
    support.run(tmp_path, PROGRAM + """
    model = make()
    model.compile(optimizer="sgd", loss="mse", steps_per_execution=4)
    model.fit(Slow(8), epochs=2, callbacks=[GoodputCallback("keras")], verbose=0)
    """, KERAS_BACKEND="jax")
    assert support.steps(tmp_path) == [0, 4, 8, 12]


def test_keras_does_not_wait_for_each_step_more_than_before(tmp_path):
    support.run(tmp_path, PROGRAM + """
    from keras.src import backend
    backend.IS_THREAD_SAFE = True
    from keras.callbacks import CallbackList
    assert CallbackList([GoodputCallback("keras")])._async_train
    """, KERAS_BACKEND=BACKENDS[-1])


def test_sigterm_with_a_handler_that_is_there(keras, tmp_path, request):
    backend = request.node.callspec.params["keras"]
    support.preempt(tmp_path, PROGRAM + """
    def handler(*_):
        model.stop_training = True

    signal.signal(signal.SIGTERM, handler)
    model = make()
    model.fit(Slow(500), callbacks=[GoodputCallback("keras"), Step()], verbose=0)
    assert signal.getsignal(signal.SIGTERM) is handler
    """, "step 5", KERAS_BACKEND=backend)
    assert support.kinds(tmp_path, Kind.JOB_END, Kind.PROCESS_END) == []


def test_sigterm_without_a_handler_ends_the_program_as_before(tmp_path):
    support.preempt(tmp_path, PROGRAM + """
    make().fit(Slow(500), callbacks=[GoodputCallback("keras"), Step()], verbose=0)
    """, "step 5", -signal.SIGTERM, KERAS_BACKEND=BACKENDS[-1])
