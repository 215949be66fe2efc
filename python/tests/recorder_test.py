"""The recorder for Python: what it writes, and that nothing it promised is lost."""
import datetime
import glob
import mmap
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from stepscope.goodput import Kind, Recorder  # noqa: E402
import segments  # noqa: E402

NO_STEP = (1 << 40) - 1
SMALLEST = 64 << 10  # bytes of a segment: 1,792 slots


class RecorderTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = os.path.join(self._folder.name, "made/on/the/way")
        self.problems = []

    def recorder(self, **options):
        options = {"directory": self.folder, "segment_bytes": SMALLEST, "heartbeat_s": 0,
                   "on_problem": self.problems.append, **options}
        recorder = Recorder("job", **options)
        self.addCleanup(recorder.close)
        return recorder

    def events(self):
        events, torn = segments.read_folder(self.folder)
        self.assertEqual(torn, 0)
        return events


class LaunchTest(RecorderTest):
    def test_rank_and_restarts_come_from_the_environment(self):
        code = """import sys
sys.path.insert(0, {!r})
from stepscope.goodput import Recorder
r = Recorder("job", directory={!r}, heartbeat_s=0)
r.record_job_start_time()
raise ValueError("planted")
""".format(str(HERE.parent), self.folder)
        environment = dict(os.environ, RANK="3", TORCHELASTIC_RESTART_COUNT="1",
                           TORCHELASTIC_RUN_ID="run", STEPSCOPE_ATTEMPT="batch")
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"ValueError: planted", done.stderr)
        first, last = self.events()
        self.assertEqual(first.writer.split("/")[1], "3")
        self.assertEqual((last.kind, last.text), (Kind.PROCESS_END, "exception ValueError: planted"))
        (path,) = glob.glob(os.path.join(self.folder, "*.goodput"))
        self.assertIn(b"jobbatch~torchelastic.run.1", Path(path).read_bytes()[:4096])


class MethodsTest(RecorderTest):
    def test_each_says_what_happened(self):
        r = self.recorder(rank=5)
        calls = [
            (r.record_job_start_time, (), Kind.JOB_START),
            (r.record_tpu_init_start_time, (), Kind.ACCELERATOR_INIT_BEGIN),
            (r.record_tpu_init_end_time, (), Kind.ACCELERATOR_INIT_END),
            (r.record_training_preparation_start_time, (), Kind.TRAINING_PREP_BEGIN),
            (r.record_training_preparation_end_time, (), Kind.TRAINING_PREP_END),
            (r.record_data_loading_start_time, (), Kind.DATA_LOADING_BEGIN),
            (r.record_data_loading_end_time, (), Kind.DATA_LOADING_END),
            (r.record_step_start_time, (7,), Kind.STEP_START),
            (r.record_step_end_time, (7,), Kind.STEP_END),
            (r.record_custom_badput_event_start_time, (None, "eval"), Kind.CUSTOM_BEGIN),
            (r.record_custom_badput_event_end_time, (), Kind.CUSTOM_END),
            (r.record_checkpoint_progress, (7, None), Kind.CHECKPOINT_COMMIT),
            (r.record_checkpoint_commit, (7, "local"), Kind.CHECKPOINT_COMMIT),
            (r.record_resume_from, (8,), Kind.RESUME_FROM),
            (r.record_preemption_notice, ("soon",), Kind.PREEMPTION_NOTICE),
            (r.record_elastic_slice_counts, (3, 4, 3), Kind.ELASTIC_SLICES),
            (r.record_elastic_wait_start_time, ("scale_up",), Kind.ELASTIC_WAIT_BEGIN),
            (r.record_elastic_wait_end_time, ("scale_up",), Kind.ELASTIC_WAIT_END),
            (r.record_elastic_reinit_start_time, (), Kind.ELASTIC_REINIT_BEGIN),
            (r.record_elastic_reinit_end_time, (), Kind.ELASTIC_REINIT_END),
            (r.record_checkpoint_save_start_time, (7,), Kind.CHECKPOINT_SAVE_BEGIN),
            (r.record_checkpoint_save_end_time, (7, None, "disk"), Kind.CHECKPOINT_SAVE_END),
            (r.record_checkpoint_restore_start_time, (), Kind.CHECKPOINT_RESTORE_BEGIN),
            (r.record_checkpoint_restore_end_time, (7,), Kind.CHECKPOINT_RESTORE_END),
            (r.record_label, ("team", "nlp"), Kind.LABEL),
            (r.record_resources, (8, None, 7), Kind.RESOURCES),
            (r.record_spare_swap, ("n3 for n9",), Kind.SPARE_SWAP),
            (r.record_work, (7, 4096, 2.5e12), Kind.WORK),
            (r.record_job_submitted_time, (1.5,), Kind.JOB_SUBMITTED),
            (r.record_job_end_time, (), Kind.JOB_END)]
        for method, arguments, _ in calls:
            self.assertIs(method(*arguments), True, method)
        self.assertTrue(r.flush())
        r.close()
        events = self.events()
        self.assertEqual([event.kind for event in events], [kind for _, _, kind in calls])
        self.assertEqual([event.sequence for event in events], list(range(len(calls))))
        self.assertEqual([(e.step, e.text) for e in events[7:14]],
                         [(7, ""), (7, ""), (NO_STEP, "eval"), (NO_STEP, "unknown"), (7, ""),
                          (7, "local"), (8, "")])
        self.assertEqual([(e.step, e.text) for e in events[20:25]],
                         [(7, ""), (7, "disk"), (NO_STEP, ""), (7, ""), (NO_STEP, "team=nlp")])
        self.assertEqual(events[25].fields, {2: 8, 4: 7})
        self.assertEqual(events[27].fields, {2: 4096, 3: 2500})
        self.assertEqual((events[28].time, events[28].monotonic), (1_500_000_000, -1 << 63))
        self.assertTrue(all(event.job == "job" and "/5/" in event.writer for event in events))
        self.assertEqual(self.problems, [])

    def test_labels_come_from_the_environment(self):
        there = {"STEPSCOPE_LABELS": "team=nlp, project = llm,=x,queue=", "SLURM_JOB_PARTITION": "gpu",
                 "SLURM_JOB_ACCOUNT": "other"}
        with unittest.mock.patch.dict(os.environ, there):
            for rank in (0, 1):
                r = self.recorder(rank=rank)
                r.record_job_start_time()
                r.close()
        events = self.events()
        self.assertEqual(sorted((e.kind, e.text) for e in events),
                         [(Kind.JOB_START, ""), (Kind.JOB_START, ""), (Kind.LABEL, "project=llm"),
                          (Kind.LABEL, "queue=gpu"), (Kind.LABEL, "team=nlp")])
        self.assertTrue(all("/0/" in e.writer for e in events if e.kind == Kind.LABEL))
        self.assertEqual({event.job for event in events}, {"nlp/job"})

    def test_times_are_exact_and_may_go_back(self):
        utc = datetime.timezone.utc
        r = self.recorder()
        r.record_job_start_time(datetime.datetime(2026, 1, 31, 23, 59, 59, 123457, utc))
        r.record_job_end_time(datetime.datetime(1969, 12, 31, 23, 59, 59, tzinfo=utc))
        zone = datetime.timezone(datetime.timedelta(hours=2))
        r.record_job_end_time(datetime.datetime(1970, 1, 1, 2, tzinfo=zone))
        before = time.time_ns()
        r.record_step_start_time(1)
        r.close()
        times = [event.time for event in self.events()]
        self.assertEqual(times[:3], [1_769_903_999_123_457_000, -1_000_000_000, 0])
        self.assertTrue(before <= times[3] <= time.time_ns())

    def test_orbax_entries_keep_their_measurements(self):
        r = self.recorder()
        self.assertTrue(r.log_entry({
            "step": 10, "event_type": "save", "directory": "gs://b/ckpt",
            "wait_for_prev_start_time": None, "wait_for_prev_duration_secs": 0.5,
            "checkpointer_blocking_start_time": 2.0, "checkpointer_blocking_duration_secs": 3.0,
            "checkpoint_manager_blocking_start_time": 1.0,
            "checkpoint_manager_blocking_duration_secs": 5.0, "synchronous": True}))
        self.assertFalse(r.log_entry({"event_type": "something else"}))
        r.close()
        (event,) = self.events()
        self.assertEqual((event.kind, event.step, event.time, event.text),
                         (Kind.CHECKPOINT_SAVE, 10, 2_000_000_000, "gs://b/ckpt"))
        self.assertEqual({tag: value for tag, value in event.fields.items() if tag < 128},
                         {8: 1_000_000_000, 9: 5_000_000_000, 10: 2_000_000_000,
                          11: 3_000_000_000, 13: 500_000_000})

    def test_nothing_that_is_passed_raises(self):
        r = self.recorder()
        self.assertFalse(r.record_step_start_time("seven"))
        self.assertFalse(r.record_step_start_time(1 << 80))
        self.assertFalse(r.record_job_start_time("yesterday"))
        self.assertEqual(r.dropped(), 3)
        self.assertEqual(len(self.problems), 3, self.problems)
        self.assertFalse(r.log_entry(None))
        self.assertTrue(r.record_work(1, flops="many"))
        self.assertTrue(r.record_step_start_time(-5))
        self.assertTrue(r.record_spare_swap("\ud800" + "é" * 3000))
        r.close()
        events = self.events()
        recorded = [event for event in events if event.kind != Kind.DROPPED]
        self.assertEqual([event.fields for event in recorded], [{}, {1: -5}, {129: 2047}])
        self.assertEqual(sum(e.fields[2] for e in events if e.kind == Kind.DROPPED), 3)

    def test_switched_off_it_makes_no_file(self):
        r = Recorder("job", enabled=False, directory=self.folder)
        self.assertFalse(r.record_job_start_time())
        self.assertFalse(r.flush())
        self.assertFalse(os.path.exists(self.folder))


class FilesTest(RecorderTest):
    def test_many_segments_in_a_row(self):
        r = self.recorder()
        for step in range(6000):
            self.assertTrue(r.record_step_start_time(step))
            if step % 20 == 0:
                time.sleep(0.001)
        r.close()
        self.assertEqual([event.step for event in self.events()], list(range(6000)))
        self.assertEqual(len(glob.glob(self.folder + "/*.goodput")), 4)

    def test_closing_cuts_the_file(self):
        r = self.recorder()
        r.record_job_start_time()
        r.close()
        self.assertFalse(r.record_job_end_time())
        self.assertEqual([os.path.getsize(path) for path in glob.glob(self.folder + "/*.goodput")],
                         [8192 + 32])

    def test_a_manifest_lists_closed_segments(self):
        r = self.recorder()
        for step in range(2000):
            r.record_step_start_time(step)
            if step % 20 == 0:
                time.sleep(0.001)
        r.close()
        (path,) = glob.glob(self.folder + "/*.manifest")
        with open(path) as file:
            closed = [line.split() for line in file if line.startswith("closed ")]
        self.assertEqual(sum(int(words[3]) for words in closed), 2000)
        self.assertEqual(sorted(words[7] for words in closed),
                         sorted(os.path.basename(path) for path in glob.glob(self.folder + "/*.goodput")))

    def test_files_are_for_the_owner_or_the_group(self):
        for group_readable, folder_mode, file_mode in ((False, 0o700, 0o600), (True, 0o750, 0o640)):
            folder = os.path.join(self.folder, str(group_readable))
            r = Recorder("job", directory=folder, heartbeat_s=0, group_readable=group_readable)
            r.record_job_start_time()
            r.close()
            self.assertEqual(os.stat(folder).st_mode & 0o7777, folder_mode)
            files = os.listdir(folder)
            self.assertEqual(len(files), 2)
            for name in files:
                self.assertEqual(os.stat(os.path.join(folder, name)).st_mode & 0o7777, file_mode, name)

    def test_threads_record_at_once(self):
        r = self.recorder()
        recorded = [[] for _ in range(4)]

        def work(thread):
            for k in range(5000):
                text = "t" * (thread * 15)
                if r.record_checkpoint_commit(thread * 5000 + k, text):
                    recorded[thread].append(thread * 5000 + k)

        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        dropped = r.dropped()
        r.close()
        events = self.events()
        steps = [e for e in events if e.kind == Kind.CHECKPOINT_COMMIT]
        self.assertEqual(sorted(e.step for e in steps), sorted(sum(recorded, [])))
        self.assertEqual(len(steps) + dropped, 20_000)
        self.assertEqual(sum(e.fields[2] for e in events if e.kind == Kind.DROPPED), dropped)
        self.assertTrue(all(e.text == "t" * (e.step // 5000 * 15) for e in steps))
        self.assertEqual(sorted(e.sequence for e in events), list(range(len(events))))

    def test_a_signal_handler_may_record_in_the_middle_of_a_call(self):
        r = self.recorder(segment_bytes=4 << 20)
        handled = []
        previous = signal.signal(
            signal.SIGALRM, lambda *_: handled.append(r.record_preemption_notice("now")))
        signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
        count = 0
        end = time.monotonic() + 1
        while time.monotonic() < end:
            count += r.record_step_start_time(count)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        r.close()
        events = self.events()
        self.assertEqual([e.step for e in events if e.kind == Kind.STEP_START], list(range(count)))
        notices = sum(e.kind == Kind.PREEMPTION_NOTICE for e in events)
        self.assertEqual(notices, sum(handled))
        self.assertGreater(notices, 50)

    def test_a_full_disk_is_told_and_ends_nothing(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (32 << 10, hard))
        try:
            r = self.recorder(sync_s=0.01)
            self.assertFalse(any(r.record_step_start_time(step) for step in range(50)))
            time.sleep(0.1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        tries = 1
        while not r.record_step_start_time(50) and tries < 1000:
            time.sleep(0.01)
            tries += 1
        r.close()
        self.assertEqual(len(self.problems), 1, self.problems)
        events = self.events()
        self.assertEqual(sum(e.fields[2] for e in events if e.kind == Kind.DROPPED), 50 + tries - 1)
        self.assertIn(50, [e.step for e in events])

    def test_whatever_call_of_the_system_fails_nothing_promised_is_lost(self):
        for name in ("open", "pwrite", "posix_fallocate", "fdatasync", "fsync", "ftruncate"):
            for at in range(1, 5):
                for stays in (False, True):
                    with self.subTest(call=name, at=at, stays=stays):
                        self.fail_and_record(name, at, stays)

    def fail_and_record(self, name, at, stays):
        self.folder = os.path.join(self._folder.name, "{}-{}-{}".format(name, at, stays))
        real, calls = getattr(os, name), 0

        def failing(*arguments, **options):
            nonlocal calls
            calls += 1
            if calls == at or (stays and calls > at):
                raise OSError(28, "planted")
            return real(*arguments, **options)

        unraisable = []
        with unittest.mock.patch.object(os, name, failing), \
                unittest.mock.patch.object(sys, "unraisablehook", unraisable.append):
            recorder = self.recorder()
            stored = sum(recorder.record_step_start_time(step) for step in range(50))
            stored += recorder.flush() and recorder.record_job_end_time()
            recorder.close()
        there = self.events() if os.path.isdir(self.folder) else []
        self.assertGreaterEqual(len(there), stored)
        self.assertEqual(unraisable, [])

    def test_a_forked_child_writes_files_of_its_own(self):
        r = self.recorder()
        self.assertTrue(r.record_step_start_time(0))
        child = os.fork()
        if child == 0:
            good = all([r.record_step_start_time(step) for step in range(100, 200)])
            os._exit(0 if good else 1)
        self.assertTrue(all([r.record_step_start_time(step) for step in range(1, 100)]))
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        r.close()
        steps = {}
        for event in self.events():
            steps.setdefault(event.writer, []).append(event.step)
        self.assertEqual(sorted(steps.values()), [list(range(100)), list(range(100, 200))])

    def test_beats(self):
        r = self.recorder(heartbeat_s=0.02, sync_s=0.01)
        time.sleep(0.5)
        r.close()
        kinds = [event.kind for event in self.events()]
        self.assertEqual(set(kinds), {Kind.HEARTBEAT})
        self.assertTrue(3 <= len(kinds) <= 25, kinds)

    def test_the_end_of_the_program_closes(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1]); import stepscope.goodput as g; "
                "g.Recorder('job').record_job_start_time()")
        environment = dict(os.environ, STEPSCOPE_GOODPUT_DIR=self.folder)
        subprocess.run([sys.executable, "-c", code, str(HERE.parent)], check=True, env=environment)
        self.assertEqual([e.kind for e in self.events()], [Kind.JOB_START])
        self.assertEqual([os.path.getsize(path) for path in glob.glob(self.folder + "/*.goodput")],
                         [8192 + 32])


# Records for ever and says in shared memory how many calls have returned: as one store of a word,
# because struct.pack_into clears what it is about to write, and a kill in between leaves the zero.
CHILD = """
import mmap, os, sys
sys.path.insert(0, sys.argv[1])
from stepscope.goodput import Recorder
progress = memoryview(mmap.mmap(os.open(sys.argv[3], os.O_RDWR), 8)).cast("q")
recorder = Recorder("job", directory=sys.argv[2], segment_bytes=256 << 10, sync_s=0.02)
step = 0
while True:
    while not recorder.record_checkpoint_commit(step, "long enough for two" if step % 10 == 0 else ""):
        pass
    step += 1
    progress[0] = step
"""


class KillTest(RecorderTest):
    def test_no_call_that_returned_is_lost(self):
        chance = random.Random(4)
        total = 0
        for turn in range(20):
            folder = os.path.join(self.folder, str(turn))
            os.makedirs(folder)
            path = os.path.join(self.folder, "progress")
            with open(path, "wb") as file:
                file.write(bytes(8))
            with open(path, "r+b") as file, mmap.mmap(file.fileno(), 8) as progress:
                child = subprocess.Popen([sys.executable, "-c", CHILD, str(HERE.parent), folder, path])
                while progress[:8] == bytes(8):
                    time.sleep(0.001)
                time.sleep(chance.random() * 0.1)
                child.kill()
                child.wait()
                returned = int.from_bytes(progress[:8], sys.byteorder)
            events, torn = segments.read_folder(folder)
            steps = [e.step for e in events if e.kind == Kind.CHECKPOINT_COMMIT]
            self.assertIn(len(steps), (returned, returned + 1))
            self.assertEqual(steps, list(range(len(steps))))
            self.assertLessEqual(torn, 1)
            total += returned
        self.assertGreater(total, 20_000)


if __name__ == "__main__":
    unittest.main()
