"""Job around JAX loops."""
import signal

import integrations_support as support

support.need("jax")

from stepscope.goodput import Kind  # noqa: E402

PROGRAM = """
    import signal
    from stepscope.integrations.jax import Job
    job = Job("jax", from_process_start=True)
    import jax
    import jax.numpy as jnp
    import numpy

    def loader(batches):
        for k in range(batches):
            spend("loading", 0.02)
            yield numpy.full((4, 8), k, dtype=numpy.float32)

    @jax.jit
    def train_step(weights, batch):
        loss, gradient = jax.value_and_grad(lambda w: jnp.square(batch @ w).mean())(weights)
        return weights - 1e-3 * gradient, loss
"""

LOOP = PROGRAM + """
    with job:
        weights = jnp.zeros(8)
        if os.path.exists("state.npy"):
            with job.restore():
                spend("restore", 0.1)
                weights = jnp.asarray(numpy.load("state.npy"))
            job.resume(10)
        for epoch in range(2):
            for batch in job.steps(loader(10)):
                weights, loss = train_step(weights, batch)
                time.sleep(0.01)
                print("step", job.step, float(loss), flush=True)
                if job.step == 9:
                    with job.checkpoint():
                        spend("save", 0.2)
                        numpy.save("state.npy", weights)
                if job.step == int(os.environ.get("FAIL", -1)):
                    raise RuntimeError("planted")
            with job.evaluation():
                spend("eval", 0.1)
"""


def test_a_loop_with_a_checkpoint_and_validation(tmp_path):
    support.run(tmp_path, LOOP)
    answer = support.analyze(tmp_path)
    spent = support.check(tmp_path, answer)
    assert spent["loading"] >= 0.4 and spent["save"] >= 0.2 and spent["eval"] >= 0.2
    assert answer.seconds[support.PREPARATION] > 0.1  # the import of jax
    assert answer.seconds["PROGRAM_STARTUP"] > 0.005  # the compilation in the first step
    assert support.steps(tmp_path) == list(range(20)) == support.kinds(tmp_path, Kind.STEP_END)
    assert (answer.metrics["max_productive_step"], answer.metrics["state"]) == (19, "ended")


def test_a_restart_after_an_exception_goes_on(tmp_path):
    support.run(tmp_path, LOOP, FAIL="13", exits=1)
    support.run(tmp_path, LOOP)
    answer = support.analyze(tmp_path)
    assert support.steps(tmp_path) == [*range(14), *range(10, 30)]
    assert support.check(tmp_path, answer)["restore"] >= 0.1
    assert (answer.metrics["attempts"], answer.metrics["disruptions"]) == (2, 1)


def test_sigterm_is_a_notice_and_ends_the_program_as_before(tmp_path):
    support.preempt(tmp_path, LOOP, "step 5", -signal.SIGTERM)
    assert support.kinds(tmp_path, Kind.JOB_END) == []


def test_two_processes_have_the_ranks_that_jax_gave(tmp_path):
    code = PROGRAM + """
    jax.distributed.initialize("127.0.0.1:" + sys.argv[2], num_processes=2, process_id=int(sys.argv[1]))
    with job:
        for batch in job.steps(loader(5)):
            time.sleep(0.01)
    """
    support.run_two_ranks(tmp_path, code)
    answer = support.analyze(tmp_path)
    assert sorted(support.steps(tmp_path)) == sorted([*range(5), *range(5)])
    assert (answer.metrics["attempts"], answer.metrics["state"]) == (1, "ended")


def test_a_job_before_jax_is_set_up_does_not_choose_its_devices(tmp_path):
    support.run(tmp_path, """
    import jax
    from stepscope.integrations.jax import Job
    with Job("jax") as job:
        assert not jax._src.xla_bridge._backends
        list(job.steps(range(3)))
    """)
    assert support.steps(tmp_path) == [0, 1, 2]
