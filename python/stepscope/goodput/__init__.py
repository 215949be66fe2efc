"""The goodput of long training jobs: which share of their time became progress, and where the rest went.

    from stepscope.goodput import Recorder

    recorder = Recorder("llm-7b", enabled=rank == 0)
    recorder.record_job_start_time()
    for step in range(first, last):
        recorder.record_step_start_time(step)
        train(step)
    recorder.record_job_end_time()

Events go into files in $STEPSCOPE_GOODPUT_DIR (or `directory`, or ./stepscope-goodput). An event whose call
returned True survives a kill of the process; a power loss loses at most the last second. Recording needs
only the standard library.

STEPSCOPE_LABELS=team=nlp,project=llm is recorded with them, and so are cluster, queue, user and account of a
Slurm job; with a team, the job is named "nlp/llm-7b" in ledgers.

`report` tells what `stepscope goodput analyze` does. `install` lets programs that import
`ml_goodput_measurement` run on this package instead.
"""
from stepscope._lazy import lazy_names
from stepscope.goodput.recorder import Kind, Recorder

__all__ = ["Kind", "Recorder", "install", "report"]

# What a training job does not need, and where it is.
_LATER = {"install": "ml_goodput", "report": "reports"}

__getattr__, __dir__ = lazy_names(globals(), _LATER)
