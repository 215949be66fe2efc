"""Records a JAX loop.

    from stepscope.integrations.jax import Job

    with Job("llm-7b") as job:
        for batch in job.steps(loader):
            state, loss = train_step(state, batch)

Does not import jax. JAX runs ahead of the loop: steps are as long as the device needs for them only while the loop
waits for it, as it does where it reads a loss or where too many steps are queued.
"""
from stepscope.integrations._loop import Job, Steps

__all__ = ["Job", "Steps"]
