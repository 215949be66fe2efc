"""Records two days of a job with three crashes, in simulated time: `python record_job.py DIR`.

Every call takes the time of its event. In your loop leave the times out: they are now.
"""
import random
import sys

from stepscope.goodput import Recorder

clock, chance = 1_800_000_000.0, random.Random(5)  # seconds since 1970


def attempt(number, first, last):
    """Chips start, a checkpoint is restored, steps run, and every 200 steps a checkpoint is saved."""
    global clock
    recorder = Recorder("llm-7b", directory=sys.argv[1], rank=0, attempt=str(number), heartbeat_s=0)
    recorder.record_job_start_time(clock)
    recorder.record_tpu_init_start_time(clock + 5)
    recorder.record_tpu_init_end_time(clock + 95)
    recorder.record_training_preparation_start_time(clock + 95)
    recorder.record_training_preparation_end_time(clock + 275)
    clock += 275
    for step in range(first, last):
        recorder.record_step_start_time(step, clock)
        clock += chance.gauss(20, 0.3)
        if step % 200 == 199:
            recorder.record_checkpoint_save_start_time(step, clock)
            recorder.record_checkpoint_save_end_time(step, clock + 45)
            clock += 45
    return recorder


first = 0
for number, last in enumerate([2350, 3990, 5170]):
    attempt(number, first, last)         # ends with a crash: no end is recorded
    first = last // 200 * 200            # the last checkpoint
    clock += chance.uniform(600, 5400)   # until new nodes are there
attempt(3, first, 8000).record_job_end_time(clock)
