"""TraceCallback of Lightning and of Hugging Face's Trainer: the asked-for steps, and no others, are in the trace."""
import importlib.util

import profiler_support as support
import pytest

support.need("torch")

LIGHTNING = """
    import warnings, logging
    warnings.filterwarnings("ignore")
    import torch
    from lightning.pytorch import LightningModule, Trainer
    from stepscope.profiler.lightning import TraceCallback

    class Module(LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def training_step(self, batch, index):
            return self.layer(batch).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=1e-3)

    def main():
        trainer = Trainer(max_steps=20, accelerator="cpu", devices=int(os.environ.get("DEVICES", 1)), logger=False,
                          strategy=os.environ.get("STRATEGY", "auto"), enable_checkpointing=False,
                          enable_progress_bar=False, enable_model_summary=False, accumulate_grad_batches=2,
                          callbacks=[TraceCallback("runs", steps=range(4, 7), job="llm")])
        trainer.fit(Module(), torch.utils.data.DataLoader(torch.ones(320, 8), batch_size=4))

    if __name__ == "__main__":
        main()
"""

TRAINER = """
    import warnings
    warnings.filterwarnings("ignore")
    import torch
    from transformers import Trainer, TrainingArguments
    from stepscope.profiler.transformers import TraceCallback

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def forward(self, x, labels=None):
            return {"loss": self.layer(x).square().mean()}

    arguments = TrainingArguments("out", max_steps=20, per_device_train_batch_size=4, gradient_accumulation_steps=2,
                                  save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True,
                                  remove_unused_columns=False)
    Trainer(Model(), arguments, train_dataset=[{"x": torch.ones(8), "labels": torch.ones(1)}] * 400,
            callbacks=[TraceCallback("runs", steps=range(4, 7), every=10, record_shapes=True)]).train()
"""


def need(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip("{} is not installed".format(module))


def test_lightning(tmp_path):
    need("lightning")
    support.run(tmp_path, LIGHTNING)
    [name] = support.traces(tmp_path / "runs")
    assert name.startswith("rank0.w0.")
    assert support.steps_of(tmp_path / "runs") == [4, 5, 6]
    trace = support.read_json(tmp_path / "runs" / name)
    assert trace["distributedInfo"] == {"rank": 0, "world_size": 1} and trace["PT_PROFILER_JOB_NAME"] == "llm"


def test_lightning_of_two_ranks(tmp_path):
    need("lightning")
    support.run(tmp_path, LIGHTNING, DEVICES="2", STRATEGY="ddp_spawn")
    assert [name.split(".")[0] for name in support.traces(tmp_path / "runs")] == ["rank0", "rank1"]
    assert support.analyze(tmp_path / "runs")["run"]["ranks"] == 2
    assert support.steps_of(tmp_path / "runs") == [4, 5, 6]


def test_trainer_of_transformers(tmp_path):
    need("transformers")
    support.run(tmp_path, TRAINER)
    assert [name.split(".")[:2] for name in support.traces(tmp_path / "runs")] == [["rank0", "w0"], ["rank0", "w1"]]
    assert support.steps_of(tmp_path / "runs") == [4, 5, 6, 14, 15, 16]
