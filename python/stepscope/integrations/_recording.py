"""The course of one training job, as all integrations record it."""
import atexit
import logging
import os
import time
from typing import Any, Dict, Optional

from stepscope.goodput import Recorder
from stepscope.goodput.recorder import cause_of_exception
from stepscope.integrations._process import rank_of_framework, start_of_process
from stepscope.integrations._signals import SigtermNotice


class Recording:
    """What is recorded of a job and where it stands. No method raises because recording fails."""

    def __init__(self, job: str, directory: Optional[str] = None, keep_open: bool = False,
                 from_process_start: bool = False) -> None:
        self._job, self._directory, self._keep_open = str(job), directory, keep_open
        self._began: Optional[float] = start_of_process() if from_process_start else time.time()
        self._problems: set = set()
        self._reset()

    def _reset(self) -> None:
        self.recorder = Recorder(self._job, enabled=False)
        self.preempted = False
        self.is_open = False
        self.step: Optional[int] = None  # the last one that began
        self._in_step = self._preparing = False
        self._depth: Dict[str, int] = {}  # of spans, which may call each other
        self._save_step: Optional[int] = None
        self._ended: Optional[float] = None
        self._shift = 0  # between the library's numbers of steps and the job's
        self._continues: Optional[int] = None  # the last step of an earlier fit of this job
        self._sigterm = SigtermNotice(self._notice)

    def __getstate__(self) -> Dict[str, Any]:
        """What launchers send to other processes: nothing that is open here."""
        return {name: vars(self)[name] for name in ("_job", "_directory", "_keep_open", "_began")}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        vars(self).update(state)
        self._problems = set()
        self._reset()

    def problem(self, what: Any) -> None:
        """Reports what could not be recorded, each once."""
        text = what if isinstance(what, str) else "stepscope: not recorded: {!r}".format(what)
        if text not in self._problems and len(self._problems) < 20:
            self._problems.add(text)
            logging.getLogger("stepscope.integrations").warning(text)

    # The job.

    def open(self, rank: Optional[int] = None) -> None:
        """Records that the job began: when this object was made, the first time, and now, if it is done again.
        `rank`: of this process (default: that of torch.distributed, jax.distributed or the launcher)."""
        if not self.is_open:
            self._reset()
            self.recorder = Recorder(self._job, directory=self._directory,
                                     rank=rank_of_framework() if rank is None else rank, on_problem=self.problem)
            self.is_open, self._process = True, os.getpid()
            atexit.register(self.close)
        if self._ended is None:
            self.recorder.record_job_start_time(self._began)
        else:
            self._continues = self.step
        self.recorder.record_training_preparation_start_time(self._began)
        self._began = self._ended = None
        self._preparing, self._depth = True, {}

    def watch_sigterm(self) -> None:
        """Records SIGTERM from now on; after the library's own handler is installed."""
        self._sigterm.watch()

    def _notice(self) -> None:
        self.preempted = True
        self.recorder.record_preemption_notice("SIGTERM")

    def prepared(self) -> None:
        """Ends the preparation, before the first batch is loaded."""
        if self._preparing:
            self._preparing = False
            self.recorder.record_training_preparation_end_time()

    def finish(self, error: Optional[BaseException] = None) -> None:
        """Records the end: as planned, or by `error`; neither after a notice."""
        self._sigterm.restore()
        if not self.is_open:
            return
        self.prepared()
        cause = _cause_of(error)
        if cause is None:
            self.end_step()
            self._ended = time.time()
            if self._keep_open and not self.preempted:
                return
        elif not self.preempted:
            self.recorder.record_process_end(cause)
        self.close()

    def close(self) -> None:
        """Records a planned end that `finish` left open, and ends recording."""
        if not self.is_open or os.getpid() != self._process:  # of a fork
            return
        if self._ended is not None and not self.preempted:
            self.recorder.record_job_end_time(self._ended if self._keep_open else None)
        self.recorder.close()
        self.is_open = False
        atexit.unregister(self.close)

    # Steps.

    def begin_step(self, step: int) -> None:
        if self._continues is not None:  # the library counts from 0 again, or goes on
            self._shift = max(self._continues + 1 - step, 0)
            self._continues = None
        self.step, self._in_step = step + self._shift, True
        self.recorder.record_step_start_time(self.step)

    def end_step(self) -> None:
        if self._in_step:
            self._in_step = False
            self.recorder.record_step_end_time(self.step)

    def resume(self, step: int) -> None:
        """Records the first step that will run in this process."""
        if self._continues is None:
            self.recorder.record_resume_from(step)

    # Spans. Those of one kind may lie in each other; the outermost counts.

    def _enters(self, span: str) -> bool:
        self._depth[span] = self._depth.get(span, 0) + 1
        return self._depth[span] == 1

    def _leaves(self, span: str) -> bool:
        self._depth[span] = self._depth.get(span, 0) - 1
        return self._depth[span] == 0

    def begin_loading(self, *_: Any, **__: Any) -> None:
        self.recorder.record_data_loading_start_time()

    def end_loading(self, *_: Any) -> None:
        self.recorder.record_data_loading_end_time()

    def begin_save(self, step: Optional[int]) -> None:
        """Records that a save blocks training; `step`: the last one it holds."""
        if self._enters("save"):
            self._save_step = None if step is None else step + self._shift
            self.recorder.record_checkpoint_save_start_time(self._save_step)

    def end_save(self, error: Optional[BaseException] = None, commits: bool = True) -> None:
        """Records that training goes on; without `error`, and if it `commits`, that the save can be restored."""
        if self._leaves("save"):
            committed = self._save_step if error is None and commits else None
            self.recorder.record_checkpoint_save_end_time(committed)

    def begin_restore(self, *_: Any, **__: Any) -> None:
        if self._enters("restore"):
            self.recorder.record_checkpoint_restore_start_time()

    def end_restore(self, *_: Any) -> None:
        if self._leaves("restore"):
            self.recorder.record_checkpoint_restore_end_time()

    def begin_custom(self, name: str) -> None:
        if self._enters(name):
            self.recorder.record_custom_badput_event_start_time(None, name)

    def end_custom(self, name: str) -> None:
        if self._leaves(name):
            self.recorder.record_custom_badput_event_end_time(None, name)

    def begin_evaluation(self, *_: Any, **__: Any) -> None:
        self.begin_custom("eval")

    def end_evaluation(self, *_: Any) -> None:
        self.end_custom("eval")


def _cause_of(error: Optional[BaseException]) -> Optional[str]:
    """Returns what ended a process, as the recorder says it; None for an end as planned."""
    if error is None:
        return None
    if isinstance(error, SystemExit):
        return "exit {}".format(error.code) if error.code else None
    return cause_of_exception(type(error), error)
