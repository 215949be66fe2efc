"""GoodputCallback in Lightning's Trainer."""
import integrations_support as support

support.need("torch", "lightning")

from stepscope.goodput import Kind  # noqa: E402

# 10 batches of 20 ms per epoch; a checkpoint every 5 steps, slowed down to 0.1 s.
PROGRAM = """
    import glob, signal, warnings
    warnings.filterwarnings("ignore")
    import torch
    import lightning.pytorch as pl
    from lightning.pytorch.callbacks import ModelCheckpoint
    from stepscope.integrations.lightning import GoodputCallback

    FAIL, WORD = int(os.environ.get("FAIL", -1)), os.environ.get("WORD", "")

    class Slow(torch.utils.data.Dataset):
        def __init__(self, spends):
            self.spends = spends

        def __len__(self):
            return 40

        def __getitem__(self, index):
            spend(self.spends, 0.005)
            return torch.full((8,), float(index))

    class Model(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def training_step(self, batch, batch_idx):
            time.sleep(0.01)
            print("step", self.trainer.global_step, flush=True)
            if self.trainer.global_step == FAIL:
                raise RuntimeError("planted")
            return self.layer(batch).square().mean()

        def validation_step(self, batch, batch_idx):
            spend("eval", 0.05)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=1e-3)

        def on_save_checkpoint(self, checkpoint):
            spend("save", 0.1)

        def on_load_checkpoint(self, checkpoint):
            spend("restore", 0.2)

    def loader(batches, spends="loading"):
        data = torch.utils.data.Subset(Slow(spends), range(4 * batches))
        return torch.utils.data.DataLoader(data, batch_size=4)

    def trainer(callback, **options):
        options = {"max_epochs": 2, **options}
        saves = ModelCheckpoint(dirpath="saves", every_n_train_steps=5, save_top_k=-1)
        return pl.Trainer(accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
                          callbacks=[callback, saves], default_root_dir=".", **options)
"""


def test_a_fit_with_checkpoints_and_validation(tmp_path):
    support.run(tmp_path, PROGRAM + """
    callback = GoodputCallback("lightning")
    done = trainer(callback, num_sanity_val_steps=0)
    done.fit(Model(), loader(10), loader(2, "eval"))
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert "save_checkpoint" not in vars(done) and not callback.recording.is_open
    """)
    answer = support.analyze(tmp_path)
    spent = support.check(tmp_path, answer, save=1)
    assert spent["loading"] >= 0.4 and spent["save"] >= 0.4 and spent["eval"] >= 0.2
    assert support.steps(tmp_path) == list(range(20)) == support.kinds(tmp_path, Kind.STEP_END)
    assert support.kinds(tmp_path, Kind.CHECKPOINT_SAVE_END) == [4, 9, 14, 19]
    assert (answer.metrics["max_productive_step"], answer.metrics["state"]) == (19, "ended")
    assert answer.notes == []


def test_gradients_accumulated_and_validation_within_an_epoch(tmp_path):
    support.run(tmp_path, PROGRAM + """
    trainer(GoodputCallback("lightning"), accumulate_grad_batches=3, val_check_interval=5, num_sanity_val_steps=1,
            limit_val_batches=1).fit(Model(), loader(10), loader(2, "checks"))
    """)
    answer = support.analyze(tmp_path)
    assert support.steps(tmp_path) == list(range(8)) == support.kinds(tmp_path, Kind.STEP_END)  # 3 + 3 + 3 + 1, twice
    assert support.kinds(tmp_path, Kind.CHECKPOINT_SAVE_END) == [4]
    assert support.kinds(tmp_path, Kind.CUSTOM_END) == ["eval"] * 4  # and the check before is preparation
    assert answer.seconds[support.LOADING] >= 0.4 and answer.seconds[support.EVAL] >= 4 * 0.07
    assert answer.metrics["max_productive_step"] == 7


def test_a_restart_after_an_exception_goes_on(tmp_path):
    code = PROGRAM + """
    saved = sorted(glob.glob("saves/*.ckpt"), key=os.path.getmtime)
    trainer(GoodputCallback("lightning")).fit(Model(), loader(10), ckpt_path=saved[-1] if saved else None)
    """
    said = support.run(tmp_path, code, FAIL="13", exits=1)
    assert "RuntimeError: planted" in said
    support.run(tmp_path, code)
    answer = support.analyze(tmp_path)
    assert support.steps(tmp_path) == [*range(14), *range(10, 20)]
    assert support.kinds(tmp_path, Kind.PROCESS_END)[0] == "exception RuntimeError: planted"
    assert support.kinds(tmp_path, Kind.RESUME_FROM) == [10]
    support.check(tmp_path, answer, save=1)
    assert (answer.metrics["attempts"], answer.metrics["disruptions"]) == (2, 1)
    assert answer.metrics["max_productive_step"] == 19


def test_sigterm_reaches_lightning_and_the_handler_before_it(tmp_path):
    support.preempt(tmp_path, PROGRAM + """
    told = []
    handler = lambda *_: told.append("mine")
    signal.signal(signal.SIGTERM, handler)
    done = trainer(GoodputCallback("lightning"), max_epochs=50)
    try:
        done.fit(Model(), loader(10))
    except BaseException as error:
        assert type(error).__name__ == "SIGTERMException", error
    assert told == ["mine"] and done.received_sigterm
    assert signal.getsignal(signal.SIGTERM) is handler
    """, "step 5")
    assert support.kinds(tmp_path, Kind.JOB_END, Kind.PROCESS_END) == []


def test_sigterm_without_a_handler_stops_the_fit_as_before(tmp_path):
    support.preempt(tmp_path, PROGRAM + """
    trainer(GoodputCallback("lightning"), max_epochs=50).fit(Model(), loader(10))
    """, "step 5")  # Lightning raises SIGTERMException, a SystemExit, after the batch
    assert support.kinds(tmp_path, Kind.JOB_END) == []


def test_two_ranks_that_lightning_spawns(tmp_path):
    support.run(tmp_path, PROGRAM + """
    if __name__ == "__main__":
        trainer(GoodputCallback("lightning"), devices=2, strategy="ddp_spawn", use_distributed_sampler=False,
                max_epochs=1).fit(Model(), loader(10))
    """)
    answer = support.analyze(tmp_path)
    assert sorted(support.steps(tmp_path)) == sorted([*range(10), *range(10)])
    assert support.ranks(tmp_path) == {"0", "1"}
    assert answer.seconds[support.LOADING] >= 0.2 and answer.seconds[support.SAVE] >= 0.2
    assert (answer.metrics["attempts"], answer.metrics["state"]) == (1, "ended")


def test_fits_of_one_job_and_a_loader_without_length(tmp_path):
    support.run(tmp_path, PROGRAM + """
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            for k in range(12):
                spend("loading", 0.005)
                yield torch.full((8,), float(k))

    callback, model = GoodputCallback("lightning", keep_open=True), Model()
    for _ in range(2):
        trainer(callback, max_epochs=1).fit(model, torch.utils.data.DataLoader(Stream(), batch_size=4))
    model.trainer.validate(model, loader(1, "checks"), verbose=False)  # no training: not recorded
    """)
    assert support.steps(tmp_path) == list(range(6))  # numbered on
    assert [len(support.kinds(tmp_path, kind)) for kind in (Kind.JOB_START, Kind.JOB_END)] == [1, 1]
    answer = support.analyze(tmp_path)
    assert (answer.metrics["attempts"], answer.metrics["state"]) == (1, "ended") and answer.notes == []
