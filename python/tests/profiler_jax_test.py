"""jax_traces in real loops of JAX: sessions of one and two processes, and what happens beside other profilers."""
import os
import re

import profiler_support as support

support.need("jax")

LOOP = """
    import logging
    logging.basicConfig(format="%(message)s")
    import jax, jax.numpy as jnp
    from stepscope.profiler import jax_traces

    @jax.jit
    def train_step(weights):
        return jnp.tanh(weights @ weights) * 0.5

    def train(traces, steps):
        weights = jnp.ones((128, 128))
        with traces:
            for step in range(steps):
                traces.step(step)
                weights = train_step(weights).block_until_ready()  # a busy machine may compute a step much later
        return weights
"""
SESSION = r"\d{4}(_\d\d){5}"


def sessions(folder):
    """The files of each session, in order of their names."""
    profiles = folder / "plugins/profile"
    return {name: support.traces(profiles / name) for name in support.traces(profiles)}


def test_a_window_is_a_session_with_its_steps(tmp_path):
    support.run(tmp_path, LOOP + """
    traces = jax_traces("runs", steps=range(3, 8), options={"host_tracer_level": 2})
    for step in traces.over(range(3, 12), first_step=3):
        pass
    train(jax_traces("runs", steps=range(3, 8)), 12)
    """)
    made = sessions(tmp_path / "runs")
    assert len(made) == 2 and all(re.fullmatch(SESSION, name) for name in made)
    assert all([name.split(".", 1)[1] for name in names if name.endswith(".pb")] == ["xplane.pb"] for names in made.values())
    newest = tmp_path / "runs/plugins/profile" / max(made)
    assert oct(os.stat(str(next(newest.glob("*.pb")))).st_mode & 0o777) == "0o600"
    assert support.steps_of(tmp_path / "runs") == [3, 4, 5, 6, 7]  # of the newest session


def test_windows_come_again_and_the_oldest_goes(tmp_path):
    said = support.run(tmp_path, LOOP + """
    traces = jax_traces("runs", steps=range(1, 3), every=5, keep=2)
    train(traces, 20)
    assert traces.wait()
    print(len(traces.files))
    """)
    assert len(sessions(tmp_path / "runs")) == 2, said


def test_a_loop_that_ends_or_raises_in_a_window_keeps_it(tmp_path):
    said = support.run(tmp_path, LOOP + """
    train(jax_traces("ended", steps=range(3, 8)), 5)
    try:
        with jax_traces("raised", steps=range(3, 8)) as traces:
            for step in range(6):
                traces.step(step)
                if step == 5:
                    raise KeyError("planted")
    except KeyError:
        print("raised")
    """)
    assert "raised" in said and len(sessions(tmp_path / "ended")) == 1 == len(sessions(tmp_path / "raised"))


def test_a_profiler_of_the_program_itself_goes_on(tmp_path):
    said = support.run(tmp_path, LOOP + """
    jax.profiler.start_trace("own")
    train(jax_traces("runs", steps=range(3, 8)), 12)
    jax.profiler.stop_trace()
    train(jax_traces("runs", steps=range(3, 8)), 12)
    """)
    assert said.count("these steps are not profiled") == 1
    assert len(sessions(tmp_path / "own")) == 1 == len(sessions(tmp_path / "runs"))


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path):
    (tmp_path / "runs").write_text("a file")
    said = support.run(tmp_path, LOOP + "    print(train(jax_traces('runs', steps=range(3, 8)), 12).sum())")
    assert said.count("stepscope: a trace was not written") == 1


TWO = LOOP + """
    rank = int(sys.argv[1])
    jax.distributed.initialize("127.0.0.1:" + sys.argv[2], num_processes=2, process_id=rank)
    time.sleep(1.1 * rank)  # clocks that differ: process 0 names the session
    traces = jax_traces("runs", steps=range(3, 8), every=10)
    train(traces, 18)
    assert traces.wait()
    from jax.experimental import multihost_utils
    jax._src.distributed.global_state.client.wait_at_barrier("end", 60000)
"""


def test_two_processes_have_one_session(tmp_path):
    support.run_ranks(tmp_path, TWO, 2)
    made = sessions(tmp_path / "runs")
    assert len(made) == 2  # windows
    for names in made.values():
        assert [re.sub(r".*_(rank\d)\.", r"\1.", name) for name in names if name.endswith(".pb")] == [
            "rank0.xplane.pb", "rank1.xplane.pb"]
    run = support.analyze(tmp_path / "runs/plugins/profile" / max(made))["run"]
    assert [file["rank"] for file in run["files"] if file.get("rank", -1) >= 0] == [0, 1]
