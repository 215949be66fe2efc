"""Maps traces in a bucket: a real S3 server on loopback (moto), which also fails, throttles and changes objects."""
import json
import os
import subprocess
import sys

import pytest
from s3_support import about, data_of, name_of, serving

import stepscope

# Nobody but the test waits: s3fs alone tries again, five times in 1.9 s.
AT_ONCE = {"config_kwargs": {"retries": {"max_attempts": 0}}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("s3map")) as made:
        made.options.update(AT_ONCE)
        yield made


@pytest.fixture(scope="module")
def traces(tmp_path_factory, run_program):
    folder = tmp_path_factory.mktemp("jobs") / "six ranks"
    made = run_program("demo", folder, "--ranks", 6, "--layers", 2, "--steps", 3, "--no-stacks")
    assert made.returncode == 0, made.stderr
    (folder / "truth.json").unlink()
    return folder


@pytest.fixture
def bucket(server, traces):
    for path in traces.iterdir():
        server.put(f"job/{path.name}", path)
    server.requests()
    yield server
    server.control("set")
    server.control("locked", off=1)


@pytest.fixture(scope="module")
def long(tmp_path_factory, operators_writer):
    """A trace of 14 MB: four ranges."""
    path = tmp_path_factory.mktemp("long") / "rank0.json"
    operators_writer(path, 2)
    return path


def mapped(server, out, url="s3://bucket/job/", shard=(0, 1), **options):
    return stepscope.map_ranks(url, out, shard=shard, storage_options={**server.options, **options})["map"]


def rows_of(file, source):
    """The same, without the name of the only trace, which is in notes."""
    return str(data_of(file)).replace(source, "")


def gets(requests):
    return [one for one in requests if one[0] == "GET" and one[2]]


@pytest.mark.parametrize("url", ["s3://bucket/job/", "s3://bucket/job/*.json.gz"])
def test_shards_are_those_of_the_same_files_and_made_once(bucket, traces, tmp_path, url):
    for index in range(3):
        shard = (index, 3)
        stepscope.map_ranks(traces, tmp_path / "here", shard=shard)
        report = mapped(bucket, tmp_path / "there", url, shard)
        assert report.metrics["ranks"] == 2
        here, there = tmp_path / "here" / name_of(shard), tmp_path / "there" / name_of(shard)
        assert data_of(here) == data_of(there)
        ours, theirs = about(here), about(there)
        sources = json.loads(theirs.pop("stepscope.sources"))
        del ours["stepscope.sources"], ours["stepscope.hash"], theirs["stepscope.hash"]  # which is of the sources, too
        assert ours == theirs
        paths = sorted(traces.iterdir())[index::3]
        assert [one["path"] for one in sources["files"]] == [f"s3://bucket/job/{path.name}" for path in paths]
        assert [one["bytes"] for one in sources["files"]] == [path.stat().st_size for path in paths]
    asked = gets(bucket.requests())
    assert len(asked) == 6, asked  # of each object once, by range
    before = (tmp_path / "there" / name_of((1, 3))).stat()
    assert "already" in mapped(bucket, tmp_path / "there", url, (1, 3)).headline
    assert (tmp_path / "there" / name_of((1, 3))).stat() == before
    assert not gets(bucket.requests())


def test_an_object_that_is_stored_anew_is_mapped_again(bucket, traces, tmp_path):
    mapped(bucket, tmp_path)
    first, second = sorted(traces.iterdir())[:2]
    bucket.put(f"job/{first.name}", second)
    assert "already" not in mapped(bucket, tmp_path).headline


def test_names_are_any(bucket, traces, tmp_path):
    names = ["a b.json.gz", "100%25 of it.json.gz", "größe ✓.json.gz", "what?.json.gz", "[1]+&#=.json.gz", "rank-5.json.gz"]
    for name, path in zip(names, sorted(traces.iterdir())):
        bucket.put(f"odd names/{name}", path)
    report = mapped(bucket, tmp_path, "s3://bucket/odd names/")
    assert report.metrics == {**report.metrics, "ranks": 6, "failed": 0}
    assert sorted(report.tables["files"].to_dict()["path"]) == sorted(f"s3://bucket/odd names/{name}" for name in names)
    for name in names:
        assert mapped(bucket, tmp_path / "one", f"s3://bucket/odd names/{name}").metrics["ranks"] == 1


def test_thousands_of_objects_are_listed_by_pages(bucket, operators_writer, tmp_path):
    rank = tmp_path / "rank.json"
    operators_writer(rank, 0)
    bucket.put("many/rank-#.json", rank, copies=5000)
    for url in ("s3://bucket/many", "s3://bucket/many/*"):
        bucket.requests()
        report = mapped(bucket, tmp_path, url, (4999, 5000))
        names = sorted((f"rank-{number}" for number in range(5000)), key=lambda name: int(name[5:]))
        names = sorted(names) if "*" in url else names
        assert report.tables["files"].to_dict()["path"] == [f"s3://bucket/many/{names[-1]}.json"]
        assert len(bucket.requests()) <= 10


@pytest.mark.parametrize("fault", [{"status": 503, "code": "SlowDown"}, {"status": 500, "code": "InternalError"}, {}],
                         ids=["throttled", "an error of the server", "cut"])
def test_what_fails_twice_is_asked_again(bucket, tmp_path, fault):
    bucket.control("set", fail="rank-1", times=2, **fault)
    assert mapped(bucket, tmp_path, config_kwargs={}).metrics == {"ranks": 6, "failed": 0, "bytes": report_bytes(tmp_path)}


def report_bytes(folder):
    return (folder / name_of()).stat().st_size


@pytest.mark.parametrize("fault, said", [
    ({"status": 503, "code": "SlowDown"}, "asks for fewer requests"),
    ({"status": 429, "code": "TooManyRequests"}, "asks for fewer requests"),
    ({"status": 403, "code": "AccessDenied"}, "access is denied"),
    ({}, "cannot read the file"),
], ids=["503", "429", "403", "cut"])
def test_what_always_fails_is_told_first_and_tried_again(bucket, traces, tmp_path, fault, said):
    bucket.control("set", fail="rank-1", **fault)
    report = mapped(bucket, tmp_path)
    files = report.tables["files"].to_dict()
    assert report.metrics["failed"] == 1 and report.metrics["ranks"] == 5
    (failed,) = [problem for problem in files["problem"] if problem]
    assert said in failed and files["path"][files["problem"].index(failed)].endswith("rank-1.pt.trace.json.gz")
    with stepscope.open(tmp_path) as run:
        assert "Input is incomplete: 1 file cannot be read, rank 1 has no trace." in " ".join(run.summary().text().split())
    bucket.control("set")
    assert mapped(bucket, tmp_path).metrics["ranks"] == 6


@pytest.mark.parametrize("fault", [{"status": 503, "code": "SlowDown"}, {"status": 403, "code": "AccessDenied"}, {}],
                         ids=["503", "403", "cut"])
def test_no_partial_is_made_of_the_beginning_of_an_object(bucket, traces, long, tmp_path, fault):
    bucket.put("long/rank-0.json.gz", sorted(traces.iterdir())[0])
    bucket.put("long/rank-9.json", long)
    bucket.control("set", fail="rank-9", after=2, **fault)
    report = mapped(bucket, tmp_path, "s3://bucket/long/")
    assert report.metrics["ranks"] == 1 and report.metrics["failed"] == 1
    assert json.loads(about(tmp_path / name_of())["stepscope.unread"]) == ["s3://bucket/long/rank-9.json"]
    bucket.control("set")
    assert mapped(bucket, tmp_path, "s3://bucket/long/").metrics["ranks"] == 2


@pytest.mark.parametrize("after, deleted", [(0, False), (2, False), (0, True), (2, True)],
                         ids=["changed before", "changed while", "deleted before", "deleted while"])
def test_an_object_that_is_not_what_was_listed_is_not_mapped(bucket, traces, long, tmp_path, after, deleted):
    bucket.put("moving/rank-0.json.gz", sorted(traces.iterdir())[0])
    bucket.put("moving/rank-1.json", long)
    now = {} if deleted else {"file": sorted(traces.iterdir())[1]}
    bucket.control("put", bucket="bucket", key="moving/rank-1.json", after=after, **now)
    report = mapped(bucket, tmp_path, "s3://bucket/moving/")
    files = report.tables["files"].to_dict()
    assert report.metrics["ranks"] == 1 and report.metrics["failed"] == 1
    assert ("no such file" if deleted else "changed") in files["problem"][1], files


def test_what_cannot_be_listed_says_why(bucket, tmp_path):
    able, unable = bucket.control("locked")
    for key, said in ((bucket.options, "access is denied"), (unable, "access is denied"),
                      ({**able, "secret": "wrong"}, "access is denied")):
        for url in ("s3://bucket/job/", "s3://bucket/job/*"):
            with pytest.raises(stepscope.InputError, match=said) as raised:
                mapped(bucket, tmp_path, url, **key)
            assert raised.value.where == url.rstrip("/") and "credentials" in raised.value.hint
            assert key["secret"] not in str(raised.value)
    assert mapped(bucket, tmp_path, **able).metrics["ranks"] == 6
    bucket.control("locked", off=1)
    for url, said in (("s3://nobucket/job/", "no such bucket"), ("s3://nobucket/job/*", "no such bucket"),
                      ("s3://bucket/nothing/", "no such file"), ("s3://bucket/nothing/*", "no file matches")):
        with pytest.raises(stepscope.InputError, match=said) as raised:
            mapped(bucket, tmp_path, url)
        assert raised.value.where == url.rstrip("/") and raised.value.hint


def test_objects_of_python_are_refused(tmp_path, traces):
    with open(sorted(traces.iterdir())[0], "rb") as file, pytest.raises(stepscope.QuestionError, match="not mapped"):
        stepscope.map_ranks([file], tmp_path)


def words(server):
    return ["--storage-option", f"endpoint_url={server.url}"]


def environment():
    return {**os.environ, "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}


def test_the_command_maps_reduces_and_analyzes(bucket, traces, tmp_path, run_program):
    env = environment()
    for shard in ("0/2", "1/2"):
        made = run_program("map", "s3://bucket/job/*", "--shard", shard, "-o", tmp_path / "part", *words(bucket), env=env)
        assert made.returncode == 0 and "3 partials" in made.stdout, made
    assert run_program("missing", tmp_path / "part", "--expect", 2).returncode == 0
    for path in (tmp_path / "part").iterdir():
        bucket.put(f"part/{path.name}", path)
    told = run_program("reduce", tmp_path / "part", "--format", "json").stdout
    stored = run_program("reduce", "s3://bucket/part/", "--format", "json", *words(bucket), env=env)
    assert json.loads(stored.stdout)["reports"] == json.loads(told)["reports"]
    read = run_program("analyze", "s3://bucket/job/", *words(bucket), env=env)
    assert read.returncode == 0 and "serve" not in read.stdout, read
    wrong = run_program("map", "s3://bucket/job/", "--shard", "0/1", "-o", tmp_path, "--storage-option", "endpoint_url", env=env)
    assert wrong.returncode == 2 and "--storage-option" in wrong.stderr and "NAME=VALUE" in wrong.stderr


def test_clusters_are_given_the_url(bucket, tmp_path, run_program):
    made = run_program("cluster", "slurm", "s3://bucket/job/*", "-o", tmp_path / "work", "--shards", 3, "--dry-run",
                       *words(bucket), env=environment())
    assert made.returncode == 0, made.stderr
    assert f"map 's3://bucket/job/*' --storage-option {words(bucket)[1]} --shard" in made.stdout, made.stdout
    made = run_program("cluster", "k8s", "s3://bucket/job/*", "-o", tmp_path / "k8s", "--image", "IMAGE", "--claim", "parts",
                       "--service-account", "reader", *words(bucket), env=environment())
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "k8s/map.yaml").read_text()
    assert '- "s3://bucket/job/*"' in text and 'serviceAccountName: "reader"' in text and "completions: 1" in text


# Prints MB/s and peak memory (MB) of mapping.
MEASURE = """
import json, sys, time, stepscope
if len(sys.argv[3]) > 2: import s3fs
peak = lambda: int([l for l in open('/proc/self/status') if l.startswith('VmHWM')][0].split()[1]) / 1024
before, began = peak(), time.monotonic()
stepscope.map_ranks(sys.argv[1], sys.argv[2], threads=2, storage_options=json.loads(sys.argv[3]))
print(json.dumps([time.monotonic() - began, peak() - before]))
"""


def measured(path, out, options):
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path), str(out), json.dumps(options)], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.plain("it measures time and memory")
def test_a_large_object_takes_little_memory(server, tmp_path, operators_writer):
    path = tmp_path / "rank0.json"
    operators_writer(path, 30)
    server.put("big/rank0.json", path)
    seconds_here, memory_here = measured(path, tmp_path / "here", {})
    seconds, memory = measured("s3://bucket/big/rank0.json", tmp_path / "there", server.options)
    size = path.stat().st_size / 1e6
    print(f"\n{size:.0f} MB: {size / seconds_here:.0f} MB/s here, {size / seconds:.0f} MB/s from the bucket; "
          f"{memory_here:.0f} and {memory:.0f} MB of memory")
    assert rows_of(tmp_path / "here" / name_of(), str(path)) == \
        rows_of(tmp_path / "there" / name_of(), "s3://bucket/big/rank0.json")
    assert memory - memory_here < 100, (memory, memory_here)
