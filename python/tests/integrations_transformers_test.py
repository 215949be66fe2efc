"""GoodputCallback in the Trainer of transformers."""
import signal

import pytest

import integrations_support as support

support.need("torch", "transformers", "accelerate")

from stepscope.goodput import Kind  # noqa: E402

# 10 batches of 20 ms per epoch; a checkpoint every 5 steps, slowed down to at least 0.1 s.
PROGRAM = """
    import glob, signal, warnings
    warnings.filterwarnings("ignore")
    import torch
    from transformers import Trainer, TrainingArguments
    from stepscope.integrations.transformers import GoodputCallback

    FAIL = int(os.environ.get("FAIL", -1))

    class Slow(torch.utils.data.Dataset):
        def __init__(self, batches=10, spends="loading"):
            self.size, self.spends = 4 * batches, spends

        def __len__(self):
            return self.size

        def __getitem__(self, index):
            spend(self.spends, 0.005)
            return {"x": torch.full((8,), float(index)), "labels": torch.tensor(1.0)}

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def forward(self, x, labels=None):
            time.sleep(0.01) if self.training else spend("eval", 0.03)
            loss = (self.layer(x).squeeze(-1) - labels).square().mean()
            return {"loss": loss, "logits": loss.detach().reshape(1)}

    class Mine(Trainer):
        def training_step(self, *arguments, **options):
            print("step", self.state.global_step, flush=True)
            if self.state.global_step == FAIL:
                raise RuntimeError("planted")
            return super().training_step(*arguments, **options)

        def save_model(self, *arguments, **options):
            spend("save", 0.1)
            return super().save_model(*arguments, **options)

    def trainer(callback, **options):
        options = {"num_train_epochs": 2, "save_strategy": "steps", "save_steps": 5, "logging_steps": 3, **options}
        arguments = TrainingArguments(
            output_dir="saves", per_device_train_batch_size=4, per_device_eval_batch_size=4, report_to="none",
            disable_tqdm=True, use_cpu=True, dataloader_pin_memory=False, **options)
        return Mine(Model(), arguments, train_dataset=Slow(), eval_dataset=Slow(2, "eval"),
                    callbacks=[callback] if callback else None)
"""


def test_a_training_with_checkpoints_and_evaluation(tmp_path):
    support.run(tmp_path, PROGRAM + """
    callback = GoodputCallback("hf")
    trainer(callback, eval_strategy="epoch").train()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL and not callback.recording.is_open
    """)
    answer = support.analyze(tmp_path)
    spent = support.check(tmp_path, answer, save=1)
    assert spent["loading"] >= 0.4 and spent["save"] >= 0.4 and spent["eval"] >= 2 * 2 * 0.05
    assert support.steps(tmp_path) == list(range(20)) == support.kinds(tmp_path, Kind.STEP_END)
    assert support.kinds(tmp_path, Kind.CHECKPOINT_SAVE_END) == [4, 9, 14, 19]
    assert (answer.metrics["max_productive_step"], answer.metrics["state"]) == (19, "ended")
    assert answer.notes == []


def test_a_step_is_one_of_the_optimizer(tmp_path):
    support.run(tmp_path, PROGRAM + """
    trainer(GoodputCallback("hf"), gradient_accumulation_steps=4, save_steps=3).train()
    """)
    answer = support.analyze(tmp_path)
    # 4 + 4 + 2 batches, twice
    assert support.steps(tmp_path) == list(range(6)) == support.kinds(tmp_path, Kind.STEP_END)
    support.check(tmp_path, answer, save=1)
    assert answer.metrics["max_productive_step"] == 5


def test_a_restart_after_an_exception_goes_on(tmp_path):
    code = PROGRAM + """
    trainer(GoodputCallback("hf")).train(resume_from_checkpoint=bool(glob.glob("saves/checkpoint-*")))
    """
    assert "RuntimeError: planted" in support.run(tmp_path, code, FAIL="13", exits=1)
    support.run(tmp_path, code)
    answer = support.analyze(tmp_path)
    assert support.steps(tmp_path) == [*range(14), *range(10, 20)]
    assert support.kinds(tmp_path, Kind.PROCESS_END)[0] == "exception RuntimeError: planted"
    assert support.kinds(tmp_path, Kind.RESUME_FROM) == [10]
    assert answer.seconds[support.RESTORE] > 0 and len(support.kinds(tmp_path, Kind.CHECKPOINT_RESTORE_END)) == 2
    assert (answer.metrics["attempts"], answer.metrics["disruptions"]) == (2, 1)
    assert answer.metrics["max_productive_step"] == 19


def test_sigterm_with_a_handler_that_is_there(tmp_path):
    support.preempt(tmp_path, PROGRAM + """
    def handler(*_):
        done.control.should_training_stop = True

    signal.signal(signal.SIGTERM, handler)
    done = trainer(GoodputCallback("hf"), num_train_epochs=50)
    done.train()
    assert done.state.global_step < 100 and signal.getsignal(signal.SIGTERM) is handler
    """, "step 6")
    assert support.kinds(tmp_path, Kind.JOB_END, Kind.PROCESS_END) == []


def test_sigterm_without_a_handler_ends_the_program_as_before(tmp_path):
    support.preempt(tmp_path, PROGRAM + """
    trainer(GoodputCallback("hf"), num_train_epochs=50).train()
    """, "step 6", -signal.SIGTERM)


def test_the_trainers_own_checkpoint_at_sigterm_is_recorded(tmp_path):
    program = support.start(tmp_path, PROGRAM + """
    import transformers
    if not hasattr(TrainingArguments("x", use_cpu=True), "enable_jit_checkpoint"):
        print("step 6 is not needed", flush=True)
        os._exit(77)
    from transformers.trainer_jit_checkpoint import CheckpointManager
    CheckpointManager.__init__.__defaults__ = (0.1,)  # seconds between the signal and the save
    trainer(GoodputCallback("hf"), num_train_epochs=50, save_strategy="no", enable_jit_checkpoint=True).train()
    """)
    support.terminate_at(program, "step 6")
    if program.wait(300) == 77:
        pytest.skip("this version of transformers saves nothing at SIGTERM")
    support.finish(program)
    assert support.kinds(tmp_path, Kind.PREEMPTION_NOTICE) == ["SIGTERM"]
    assert len(support.kinds(tmp_path, Kind.CHECKPOINT_SAVE_END)) == 1
    support.check(tmp_path, support.analyze(tmp_path), save=1)


def test_a_callback_that_is_added_later_records_all_but_the_restore(tmp_path):
    support.run(tmp_path, PROGRAM + """
    done = trainer(None, max_steps=7)
    done.add_callback(GoodputCallback("hf"))
    done.train()
    done.evaluate()  # after the job: not recorded
    """)
    answer = support.analyze(tmp_path)
    assert 0.14 <= answer.seconds[support.LOADING] and 0.2 <= answer.seconds[support.SAVE]
    assert support.steps(tmp_path) == list(range(7))
    assert support.kinds(tmp_path, Kind.CUSTOM_BEGIN) == []
    assert answer.metrics["state"] == "ended"


def test_a_loader_that_ends_before_the_steps_do(tmp_path):
    support.run(tmp_path, PROGRAM + """
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            data = Slow()
            yield from (data[k] for k in range(28))

    done = trainer(GoodputCallback("hf"), max_steps=100)
    done.train_dataset = Stream()
    done.train()
    """)
    answer = support.analyze(tmp_path)
    assert len(support.steps(tmp_path)) == answer.metrics["max_productive_step"] + 1 == 100  # epochs of 7 batches
    assert support.check(tmp_path, answer, save=2)["loading"] >= 2


def test_two_ranks_are_one_job(tmp_path):
    support.run_two_ranks(tmp_path, PROGRAM + """
    trainer(GoodputCallback("hf"), num_train_epochs=1, ddp_backend="gloo").train()
    """, lambda rank, port: {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                             "MASTER_PORT": port})
    answer = support.analyze(tmp_path)
    assert sorted(support.steps(tmp_path)) == sorted([*range(5), *range(5)])
    assert (answer.metrics["attempts"], answer.metrics["state"]) == (1, "ended")
    support.check(tmp_path / "0", answer, save=1, loading=0.5)
