"""Records a PyTorch loop.

    from stepscope.integrations.torch import Job

    with Job("llm-7b") as job:
        for batch in job.steps(loader):
            train(batch)

Does not import torch: import it first, and the time that loading torch takes is counted. On a GPU a step ends when
the host gets to the next batch; what the device still computes then is in the next steps.
"""
from stepscope.integrations._loop import Job, Steps

__all__ = ["Job", "Steps"]
