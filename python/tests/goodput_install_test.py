"""install(): which modules programs get, and what they do not have to load for it."""
import os
import subprocess
import sys
import textwrap
import unittest

from goodput_support import PACKAGE


def python(code, **environment):
    """Runs a program of its own; returns what it printed."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment}, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.strip()


class InstallTest(unittest.TestCase):
    def test_each_way_to_import_gives_the_same_modules(self):
        self.assertEqual(python("""
            import stepscope.goodput
            stepscope.goodput.install()
            stepscope.goodput.install()  # once more is no error
            import ml_goodput_measurement
            from ml_goodput_measurement import goodput, goodput_elastic, monitoring, monitoring_elastic
            from ml_goodput_measurement import checkpoint_badput_calculator, gcp_metrics, goodput_cache, goodput_utils
            from ml_goodput_measurement.src import exclusion_utils, goodput as of_src
            import ml_goodput_measurement.src.monitoring as by_name
            import stepscope.goodput.ml_goodput.goodput as ours
            assert goodput is of_src is ours is ml_goodput_measurement.goodput
            assert monitoring is by_name
            assert monitoring.GCPOptions is goodput_utils.GCPOptions
            assert issubclass(monitoring_elastic.ElasticGoodputMonitor, monitoring.GoodputMonitor)
            assert issubclass(goodput_elastic.ElasticGoodputCalculator, goodput.GoodputCalculator)
            assert ours.__spec__.name == ours.__name__ == "stepscope.goodput.ml_goodput.goodput"
            print("good")
            """), "good")

    def test_what_the_original_lacks_is_not_found(self):
        self.assertEqual(python("""
            import stepscope.goodput
            stepscope.goodput.install()
            for name in ("ml_goodput_measurement.nothing", "ml_goodput_measurement.src._logs"):
                try:
                    __import__(name)
                except ModuleNotFoundError as error:
                    print(error.name)
            """), "ml_goodput_measurement.nothing\nml_goodput_measurement.src._logs")

    def test_the_original_must_not_be_imported_already(self):
        self.assertIn("call stepscope.goodput.install() before", python("""
            import sys, types
            sys.modules["ml_goodput_measurement"] = types.ModuleType("ml_goodput_measurement")
            import stepscope.goodput
            try:
                stepscope.goodput.install()
            except RuntimeError as error:
                print(error)
            """))

    def test_recording_loads_little(self):
        loaded = python("""
            import sys
            before = set(sys.modules)
            import stepscope.goodput
            print(*sorted(set(sys.modules) - before))
            """).split()
        for heavy in ("json", "subprocess", "numpy", "google", "requests", "tensorboardX", "stepscope._core"):
            self.assertNotIn(heavy, loaded)

    def test_importing_the_modules_asks_for_no_library(self):
        self.assertEqual(python("""
            import sys
            for name in ("google", "requests", "tensorboardX", "numpy", "scipy"):
                sys.modules[name] = None  # as if it were not installed
            import stepscope.goodput
            stepscope.goodput.install()
            from ml_goodput_measurement import goodput, monitoring, monitoring_elastic, checkpoint_badput_calculator
            print(goodput.GoodputRecorder("job", "log").record_job_start_time())
            """), "None")

    def test_unknown_names_of_the_package_are_errors(self):
        self.assertIn("no attribute 'nothing'", python("""
            import stepscope.goodput
            try:
                stepscope.goodput.nothing
            except AttributeError as error:
                print(error)
            """))


if __name__ == "__main__":
    unittest.main()
