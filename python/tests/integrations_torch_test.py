"""Job around PyTorch loops: DataLoader with workers, torch.save, two ranks by gloo, SIGTERM."""
import signal

import integrations_support as support

support.need("torch")

from stepscope.goodput import Kind  # noqa: E402

# A data set that takes 20 ms per batch of 4, and a model that takes nearly none.
PROGRAM = """
    from stepscope.integrations.torch import Job
    job = Job("torch", from_process_start=True)
    import torch

    class Slow(torch.utils.data.Dataset):
        def __len__(self):
            return 40

        def __getitem__(self, index):
            spend("loading", 0.005)
            return torch.full((8,), float(index))

    def save(path, **state):
        spend("save", 0.1)  # a slow disk
        torch.save(state, path)

    def make():
        model = torch.nn.Linear(8, 1)
        return model, torch.optim.SGD(model.parameters(), lr=1e-3)

    def train(model, optimizer, batch):
        time.sleep(0.01)
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    loader = torch.utils.data.DataLoader(Slow(), batch_size=4, num_workers=int(os.environ.get("WORKERS", 0)))
"""

LOOP = PROGRAM + """
    with job:
        model, optimizer = make()
        if os.path.exists("state.pt"):
            with job.restore():
                state = torch.load("state.pt")
                model.load_state_dict(state["model"])
                spend("restore", 0.1)
            job.resume(state["step"] + 1)
        batches = job.steps(loader)
        for epoch in range(2):
            for batch in batches:
                train(model, optimizer, batch)
                print("step", job.step, flush=True)
                if job.step % 10 == 9:
                    with job.checkpoint():
                        save("state.pt", model=model.state_dict(), step=job.step)
                if job.step == int(os.environ.get("FAIL", -1)):
                    raise RuntimeError("planted")
            with job.evaluation(), torch.no_grad():
                model(torch.ones(1, 8))
                spend("eval", 0.2)
"""


def test_a_loop_with_checkpoints_and_validation(tmp_path):
    support.run(tmp_path, LOOP)
    answer = support.analyze(tmp_path)
    spent = support.check(tmp_path, answer)
    assert spent["loading"] >= 0.4 and spent["save"] >= 0.2 and spent["eval"] >= 0.4
    assert answer.seconds[support.PREPARATION] > 0.5  # the import of torch
    assert support.steps(tmp_path) == list(range(20)) == support.kinds(tmp_path, Kind.STEP_END)
    assert answer.metrics["max_productive_step"] == 19
    assert support.kinds(tmp_path, Kind.CHECKPOINT_SAVE_END) == [9, 19]


def test_workers_that_load_ahead_block_less(tmp_path):
    support.run(tmp_path, LOOP.replace("time.sleep(0.01)", "time.sleep(0.05)"), WORKERS="2")
    answer = support.analyze(tmp_path)
    assert answer.seconds[support.LOADING] < 0.4 + 2 * 0.15  # the start of workers, twice, blocks too
    assert support.steps(tmp_path) == list(range(20)) and support.kinds(tmp_path, Kind.PREEMPTION_NOTICE) == []
    assert answer.metrics["attempts"] == 1 and answer.notes == []  # workers are no processes of the job


def test_a_restart_after_an_exception_goes_on(tmp_path):
    support.run(tmp_path, LOOP, FAIL="13", exits=1)
    support.run(tmp_path, LOOP)
    answer = support.analyze(tmp_path)
    assert support.steps(tmp_path) == [*range(14), *range(10, 30)]
    assert support.kinds(tmp_path, Kind.PROCESS_END)[0] == "exception RuntimeError: planted"
    assert support.kinds(tmp_path, Kind.RESUME_FROM) == [10]
    assert support.check(tmp_path, answer)["restore"] >= 0.1
    assert (answer.metrics["attempts"], answer.metrics["disruptions"]) == (2, 1)
    assert answer.metrics["max_productive_step"] == 29
    assert 0.03 < answer.seconds[support.WASTED] < 1  # steps 10 to 13, of which the last did not end


def test_sigterm_is_a_notice_and_ends_the_program_as_before(tmp_path):
    support.preempt(tmp_path, LOOP, "step 5", -signal.SIGTERM)
    assert support.kinds(tmp_path, Kind.JOB_END) == []


RANKS = PROGRAM + """
    import torch.distributed as dist
    rank = int(sys.argv[1])  # not in the environment: Job asks torch.distributed
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:" + sys.argv[2], rank=rank, world_size=2)
    with job:
        model, optimizer = make()
        model = torch.nn.parallel.DistributedDataParallel(model)
        for batch in job.steps(loader, accumulate=2):
            train(model, optimizer, batch)
        with job.checkpoint():
            if rank == 0:
                save("state.pt", model=model.module.state_dict())
            dist.barrier()
    dist.destroy_process_group()
"""


def test_two_ranks_are_one_job(tmp_path):
    support.run_two_ranks(tmp_path, RANKS)
    answer = support.analyze(tmp_path)
    support.check(tmp_path / "0", answer)  # the lowest rank tells the course
    assert sorted(support.steps(tmp_path)) == sorted([*range(5), *range(5)])
    assert (answer.metrics["attempts"], answer.metrics["disruptions"]) == (1, 0)
    assert answer.metrics["state"] == "ended"
