"""Cloud Logging, Monitoring and Storage: Google's real client libraries, on fakes of what they talk to.

Without those libraries the tests are skipped; ./dev ml-goodput-tests installs them.
"""
import concurrent.futures
import datetime
import json
import os
import re
import threading
import unittest
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from goodput_support import BEGIN, BadputType, JobTest, at
from stepscope.goodput.ml_goodput import _logs, checkpoint_badput_calculator, goodput, goodput_cache, monitoring
from stepscope.goodput.ml_goodput.goodput_utils import GCPOptions

try:
    import google.auth.credentials
    import google.auth.transport.requests
    import google.cloud.logging
    from google.cloud import monitoring_v3, storage  # noqa: F401
except ImportError:
    google = None


class FakeLogging:
    """Answers entries:write and entries:list as Cloud Logging does, and counts calls."""

    def __init__(self):
        self.stored, self.asked, self.lock = [], [], threading.Lock()

    def request(self, method, url, data=None, **_):
        what = urllib.parse.urlparse(url).path
        with self.lock:
            answer = {"/v2/entries:write": self.write, "/v2/entries:list": self.list}[what](json.loads(data))
        return mock.Mock(status_code=200, headers={"content-type": "application/json"}, content=json.dumps(answer),
                         json=lambda: answer)

    def write(self, asked):
        for entry in asked["entries"]:
            number = len(self.stored)
            arrived = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
            self.stored.append({"logName": asked["logName"], **entry, "timestamp": arrived,
                                "insertId": "{:06d}".format(number)})
        return {}

    def list(self, asked):
        self.asked.append(asked["filter"])
        return {"entries": [entry for entry in self.stored if self.passes(asked["filter"], entry)]}

    def passes(self, text, entry):
        log, = re.findall(r'logName="([^"]*)"', text) or [entry["logName"]]
        job, = re.findall(r'jsonPayload.job_name="([^"]*)"', text)
        kinds = re.findall(r"jsonPayload.event_type=(\w+)", text)
        payload = entry["jsonPayload"]
        return (entry["logName"] == log and payload.get("job_name") == job and self.is_after(text, entry) and
                (not kinds or payload.get("event_type") in kinds))

    def is_after(self, text, entry):
        when = entry["timestamp"].replace("Z", "+00:00")
        both = re.search(r'timestamp>"([^"]*)" OR \(timestamp="([^"]*)" AND insertId>"([^"]*)"', text)
        if both:
            return when > both.group(1) or (when == both.group(2) and entry["insertId"] > both.group(3))
        since = re.search(r'timestamp>"([^"]*)"', text)
        return since is None or when > since.group(1)


@unittest.skipIf(google is None, "Google's client libraries are not installed")
class CloudTest(JobTest):
    def setUp(self):
        super().setUp()
        del os.environ["STEPSCOPE_GOODPUT_DIR"]
        self.cloud = FakeLogging()
        credentials = google.auth.credentials.AnonymousCredentials()
        for patch in (mock.patch.dict(os.environ, {"GOOGLE_CLOUD_DISABLE_GRPC": "true", "GOOGLE_CLOUD_PROJECT": "p"}),
                      mock.patch("google.auth.default", lambda *_, **__: (credentials, "p")),
                      mock.patch.object(google.auth.transport.requests.AuthorizedSession, "request",
                                        lambda _, method, url, **more: self.cloud.request(method, url, **more)),
                      mock.patch("google.cloud.logging_v2.client._USE_GRPC", False),
                      mock.patch.object(_logs, "_refused", None)):
            patch.start()
            self.addCleanup(patch.stop)

    def calculator(self, kind=goodput.GoodputCalculator, job=None, **options):
        return kind(job or self.job, "log", cache_dir=self.folder, **options)


class LoggingTest(CloudTest):
    def test_events_go_through_cloud_logging_and_back(self):
        self.record_job()
        self.assertEqual(len(self.cloud.stored), 13)
        self.assertEqual(self.cloud.stored[0]["logName"], "projects/p/logs/log")
        self.assertEqual(self.cloud.stored[0]["jsonPayload"], {"job_name": "llm", "job_start_time": BEGIN + 0.0})
        percent, badput, step = self.calculator().get_job_goodput(True)
        self.assertAlmostEqual(percent, 60)
        self.assertEqual((step, badput[BadputType.TRAINING_PREP]), (5, 10))

    def test_only_new_entries_are_read(self):
        recorder = self.record_job()
        calculator = self.calculator()
        calculator.get_job_goodput()
        self.assertIn('timestamp>"', self.cloud.asked[0])
        recorder.record_step_start_time(6, at(100))
        recorder.record_job_end_time(at(120))
        recorder.flush()
        self.assertEqual(calculator.get_job_goodput()[2], 6)
        self.assertIn('insertId>"000012"', self.cloud.asked[1])
        self.assertEqual(len(calculator._goodput_cache.get_cached_entries()), 15)
        calculator.get_job_goodput()
        self.assertEqual(len(calculator._goodput_cache.get_cached_entries()), 15)

    def test_a_restarted_monitor_does_not_freeze(self):
        recorder = self.record_job()
        self.calculator().get_job_goodput()
        recorder.record_step_start_time(6, at(100))
        recorder.record_job_end_time(at(120))
        recorder.flush()
        self.assertEqual(self.calculator().get_job_goodput()[2], 6)  # another one, on the same host

    def test_other_jobs_of_the_log_do_not_count(self):
        self.record_job()
        other = self.recorder(job="other")
        other.record_job_start_time(at(0))
        other.flush()
        self.assertEqual(len(self.cloud.stored), 14)
        self.assertAlmostEqual(self.calculator().get_job_goodput()[0], 60)

    def test_both_records_in_files_too(self):
        os.environ.update(STEPSCOPE_GOODPUT_LOG="both", STEPSCOPE_GOODPUT_DIR=os.path.join(self.folder, "events"))
        self.record_job()
        self.assertEqual(len(self.cloud.stored), 13)
        self.assertAlmostEqual(self.calculator().get_job_goodput()[0], 60)
        self.assertEqual(self.cloud.asked, [])  # the files are nearer

    def test_files_do_not_ask_the_cloud(self):
        os.environ["STEPSCOPE_GOODPUT_DIR"] = os.path.join(self.folder, "events")
        self.record_job()
        self.assertAlmostEqual(self.calculator().get_job_goodput()[0], 60)
        self.assertEqual((self.cloud.stored, self.cloud.asked), ([], []))

    def test_without_credentials_events_are_in_files(self):
        previous = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, previous)
        refuse = mock.Mock(side_effect=google.auth.exceptions.DefaultCredentialsError("none here"))
        with mock.patch("google.auth.default", refuse), self.assertLogs("stepscope", "WARNING") as logs:
            self.record_job()
            self.assertAlmostEqual(self.calculator().get_job_goodput()[0], 60)
        self.assertIn("Cloud Logging refuses (none here", logs.output[0])
        self.assertEqual(refuse.call_count, 1)  # asking takes seconds
        os.environ["STEPSCOPE_GOODPUT_LOG"] = "cloud"
        with mock.patch("google.auth.default", refuse):
            with self.assertRaises(google.auth.exceptions.DefaultCredentialsError):
                self.recorder()

    def test_a_wrong_choice_is_an_error(self):
        os.environ["STEPSCOPE_GOODPUT_LOG"] = "nowhere"
        with self.assertRaisesRegex(ValueError, "one of files, cloud, both"):
            self.recorder()

    def test_checkpoints_of_a_log(self):
        recorder = self.recorder()
        recorder._cloud_logger.write_cloud_logging_entry({
            "job_name": self.job, "event_type": "save", "step": 1, "directory": "gs://b/c",
            "checkpoint_manager_blocking_start_time": BEGIN + 1.0, "checkpoint_manager_blocking_duration_secs": 2.5})
        recorder.record_job_start_time(at(0))
        recorder.flush()
        calculator = checkpoint_badput_calculator.CheckpointBadputCalculator(
            checkpoint_badput_calculator.CheckpointLoggerOptions(job_name=self.job, logger_name="log"))
        saves = calculator.calculate_save_operation_checkpoint_manager_blocking_time("persistent")
        self.assertEqual(saves.total_checkpoint_manager_blocking_time, 2.5)
        self.assertEqual(len(calculator.entries), 1)


class MonitoringTest(CloudTest):
    def setUp(self):
        super().setUp()
        import grpc
        from google.cloud.monitoring_v3.services.metric_service.transports import MetricServiceGrpcTransport
        self.received = []
        create = grpc.unary_unary_rpc_method_handler(
            self.take, monitoring_v3.CreateTimeSeriesRequest.deserialize, lambda _: b"")
        server = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(
            "google.monitoring.v3.MetricService", {"CreateTimeSeries": create}),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self.addCleanup(server.stop, None)
        channel = grpc.insecure_channel("127.0.0.1:{}".format(port))
        self.addCleanup(channel.close)
        real = monitoring_v3.MetricServiceClient
        patch = mock.patch("google.cloud.monitoring_v3.MetricServiceClient",
                           lambda: real(transport=MetricServiceGrpcTransport(channel=channel)))
        patch.start()
        self.addCleanup(patch.stop)

    def take(self, request, _):
        self.received.append(request)

    def monitor(self, **options):
        gcp = GCPOptions(project_id="p", location="us-central1-a", acc_type="TPU-v5p", cluster_name="c",
                         replica_id="3")
        return monitoring.GoodputMonitor(self.job, "log", self.folder, 60, True, gcp_options=gcp,
                                         include_badput_breakdown=True, cache_dir=self.folder, **options)

    def series(self):
        """Returns by (type, source or window) what was received."""
        found = {}
        for request in self.received:
            for one in request.time_series:
                labels = dict(one.metric.labels)
                key = (one.metric.type.rpartition("/")[2], labels.get("goodput_source") or labels.get("badput_source"))
                value = one.points[0].value
                found[key] = (value.double_value or value.int64_value, labels, dict(one.resource.labels))
        return found

    def test_what_dashboards_show(self):
        self.record_job()
        monitor = self.monitor()
        monitor.start_goodput_uploader()
        monitor.stop_goodput_uploader()
        self.assertEqual({request.name for request in self.received}, {"projects/p"})
        found = self.series()
        value, labels, resource = found["goodput_time", "TOTAL"]
        self.assertEqual(value, 60.0)
        self.assertEqual(labels, {"goodput_source": "TOTAL", "accelerator_type": "TPU-v5p", "cluster_name": "c"})
        self.assertEqual(resource, {"location": "us-central1-a", "workload_id": "llm", "replica_id": "3"})
        self.assertEqual(found["badput_time", "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION"][0], 20.0)
        self.assertNotIn(("badput_time", "DATA_LOADING_ASYNC"), found)
        self.assertEqual([found[name, None][0] for name in ("disruptions", "max_productive_steps", "performance")],
                         [1, 5, 10.0])
        self.assertEqual(found["total_elapsed_time", None][:2], (100.0, {
            "accelerator_type": "TPU-v5p", "cluster_name": "c", "window_type": "cumulative"}))

    def test_windows(self):
        recorder = self.recorder()
        now = datetime.datetime.now(datetime.timezone.utc)
        recorder.record_job_start_time(now - datetime.timedelta(seconds=100))
        for step in range(10):
            recorder.record_step_start_time(step, now - datetime.timedelta(seconds=90 - 10 * step))
        recorder.flush()
        monitor = self.monitor()
        monitor.start_rolling_window_goodput_uploader([45])
        monitor.stop_rolling_window_goodput_uploader()
        value, labels, _ = self.series()["interval_goodput", "TOTAL"]
        self.assertAlmostEqual(value, 100)
        self.assertEqual(labels["rolling_window_size"], "45")
        self.assertIn(("interval_badput", "PROGRAM_STARTUP"), self.series())

    def test_step_deviation(self):
        self.record_job()
        monitor = self.monitor(include_step_deviation=True, configured_ideal_step_time=7.5)
        monitor.start_step_deviation_uploader()
        monitor.stop_step_deviation_uploader()
        self.assertEqual(self.series()["performance", None][0], 2.5)

    def test_a_server_that_refuses_is_logged(self):
        self.record_job()
        monitor = self.monitor()

        with mock.patch.object(self, "received", mock.Mock(append=mock.Mock(side_effect=RuntimeError("full")))):
            with self.assertLogs("stepscope.goodput.ml_goodput.gcp_metrics", "ERROR") as logs:
                monitor.stop_goodput_uploader()
        self.assertIn("Cloud Monitoring did not take the metrics", logs.output[0])

    def test_without_a_project_nothing_is_sent(self):
        self.record_job()
        with mock.patch("stepscope.goodput.ml_goodput.goodput_utils.get_gcp_metadata", return_value=None):
            monitor = monitoring.GoodputMonitor(self.job, "log", self.folder, 60, True, cache_dir=self.folder)
        self.assertIsNone(monitor._metrics_sender)
        monitor.stop_goodput_uploader()
        self.assertEqual(self.received, [])


class FakeStorage(BaseHTTPRequestHandler):
    """Keeps objects: uploads of several parts, whether there is one, and downloads."""
    objects = {}

    def name(self):
        path = urllib.parse.urlparse(self.path).path
        return urllib.parse.unquote(path.rpartition("/o/")[2])

    def answer(self, status, body=b"{}", kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        boundary = re.search(rb'boundary="?([^";]*)', self.headers["Content-Type"].encode()).group(1)
        metadata, content = (part.partition(b"\r\n\r\n")[2].rpartition(b"\r\n")[0]
                             for part in data.split(b"--" + boundary)[1:3])
        self.objects[json.loads(metadata)["name"]] = content
        self.answer(200, json.dumps({"name": json.loads(metadata)["name"], "size": str(len(content))}).encode())

    def do_GET(self):
        content = self.objects.get(self.name())
        if content is None:
            self.answer(404)
        elif "alt=media" in self.path:
            self.answer(200, content, "application/octet-stream")
        else:
            self.answer(200, json.dumps({"name": self.name(), "size": str(len(content))}).encode())

    def log_message(self, *_):
        pass


class StorageTest(CloudTest):
    def setUp(self):
        super().setUp()
        FakeStorage.objects = {}
        server = ThreadingHTTPServer(("127.0.0.1", 0), FakeStorage)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        address = "http://127.0.0.1:{}".format(server.server_port)
        send = google.auth.transport.requests.requests.Session.request

        def request(session, method, url, **more):
            if url.startswith(address):
                more.pop("max_allowed_time", None)
                return send(session, method, url, **more)
            return self.cloud.request(method, url, **more)

        for patch in (mock.patch.dict(os.environ, {"STORAGE_EMULATOR_HOST": address}),
                      mock.patch.object(google.auth.transport.requests.AuthorizedSession, "request", request)):
            patch.start()
            self.addCleanup(patch.stop)

    def test_another_calculator_continues_from_the_copy(self):
        self.record_job()
        first = self.calculator(gcs_path="gs://bucket/board")
        first.get_job_goodput()
        first.sync_to_gcs()
        self.assertEqual(set(FakeStorage.objects), {"board/goodput_cache/llm_timeline.jsonl",
                                                    "board/goodput_cache/llm_metadata.json"})
        self.cloud.asked.clear()
        second = self.calculator(gcs_path="gs://bucket/board")
        self.assertAlmostEqual(second.get_job_goodput()[0], 60)
        self.assertIn('insertId>"000012"', self.cloud.asked[0])
        self.assertEqual(second._goodput_cache.get_job_start_time(), at(0))

    def test_a_copy_that_is_damaged_is_not_used(self):
        self.record_job()
        FakeStorage.objects = {"board/goodput_cache/llm_timeline.jsonl": b'{"job_start',
                               "board/goodput_cache/llm_metadata.json":
                                   b'{"last_entry_timestamp": "2026-01-01T00:00:00+00:00", "last_entry_id": "1"}'}
        with self.assertLogs("stepscope", "WARNING") as logs:
            calculator = self.calculator(gcs_path="gs://bucket/board")
        self.assertIn("is not used", logs.output[0])
        self.assertAlmostEqual(calculator.get_job_goodput()[0], 60)

    def test_a_cache_without_entries_makes_no_copy(self):
        goodput_cache.GoodputCache("job", self.folder, "gs://bucket/board").sync_to_gcs()
        self.assertEqual(FakeStorage.objects, {})


if __name__ == "__main__":
    unittest.main()
