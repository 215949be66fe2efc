"""Maps traces of a bucket that rclone serves: a server that checks signatures, and differs from S3 where stores do."""
import contextlib
import shutil
import subprocess

import pytest
from s3_rclone import serving
from s3_support import about, data_of, name_of

import stepscope


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("rclone")
    (root / "bucket").mkdir()
    with serving(root) as made:
        yield made


@pytest.fixture(scope="module")
def traces(tmp_path_factory, server, run_program):
    folder = tmp_path_factory.mktemp("jobs") / "ranks"
    made = run_program("demo", folder, "--ranks", 4, "--layers", 2, "--steps", 3, "--no-stacks")
    assert made.returncode == 0, made.stderr
    (folder / "truth.json").unlink()
    for path in folder.iterdir():
        server.put(f"job/{path.name}", path)
    return folder


@pytest.fixture(scope="module")
def long(tmp_path_factory, operators_writer):
    """Two traces of equal size, 14 MB: four ranges."""
    path = tmp_path_factory.mktemp("long") / "rank0.json"
    operators_writer(path, 2)
    other = path.with_name("other.json")
    other.write_bytes(path.read_bytes().replace(b"aten::", b"mine::"))
    return path, other


def mapped(server, out, url, shard=(0, 1), **options):
    return stepscope.map_ranks(url, out, shard=shard, storage_options={**server.options, **options})["map"]


@contextlib.contextmanager
def before_range(server, number, change):
    """Does something before the server is asked for a range, of which the first is 0."""
    import s3fs

    asked = []

    def begun(**_):
        asked.append(1)
        if len(asked) == number + 1:
            change()

    events = s3fs.S3FileSystem(**server.options).s3.meta.events  # fsspec makes one of the same options once
    events.register("before-call.s3.GetObject", begun)
    try:
        yield
    finally:
        events.unregister("before-call.s3.GetObject", begun)
    assert len(asked) > number


@pytest.mark.parametrize("url", ["s3://bucket/job/", "s3://bucket/job/*.json.gz"])
def test_partials_are_those_of_the_same_files(server, traces, tmp_path, url):
    for shard in ((0, 2), (1, 2)):
        stepscope.map_ranks(traces, tmp_path / "here", shard=shard)
        assert mapped(server, tmp_path / "there", url, shard).metrics["ranks"] == 2
        here, there = tmp_path / "here" / name_of(shard), tmp_path / "there" / name_of(shard)
        assert data_of(here) == data_of(there)
        assert about(here).keys() == about(there).keys()
        assert "already" in mapped(server, tmp_path / "there", url, shard).headline


def test_an_object_of_several_ranges_is_read_whatever_checksum_it_was_stored_with(server, long, tmp_path):
    server.put("long/rank0.json", long[0])
    assert mapped(server, tmp_path, "s3://bucket/long/").metrics == {"ranks": 1, "failed": 0, "bytes": bytes_of(tmp_path)}
    stepscope.map_ranks(long[0], tmp_path / "here")
    there = str(data_of(tmp_path / name_of())).replace("s3://bucket/long/rank0.json", str(long[0]))
    assert there == str(data_of(tmp_path / "here" / name_of()))


def bytes_of(folder):
    return (folder / name_of()).stat().st_size


@pytest.mark.parametrize("number", [0, 1, 3])
def test_an_object_that_changes_is_noticed_though_the_server_does_not_compare(server, traces, long, tmp_path, number):
    server.put("moving/rank0.json", long[0])
    server.put("moving/rank1.json.gz", min(traces.iterdir()))
    with before_range(server, number, lambda: server.put("moving/rank0.json", long[1])):
        report = mapped(server, tmp_path, "s3://bucket/moving/")
    assert report.metrics["ranks"] == 1 and report.metrics["failed"] == 1, report.metrics
    assert "changed" in report.tables["files"].to_dict()["problem"][0]


def test_an_etag_is_the_same_with_and_without_quotes(server, traces, tmp_path):
    first = min(traces.iterdir()).name
    assert mapped(server, tmp_path / "1", "s3://bucket/job/", use_listings_cache=False).metrics["ranks"] == 4
    assert mapped(server, tmp_path / "2", ["s3://bucket/job/", f"s3://bucket/job/{first}"]).metrics["ranks"] == 4
    server.put("odd/wh?t.json.gz", traces / first)
    assert mapped(server, tmp_path / "3", "s3://bucket/odd/wh?t.json.gz").metrics["ranks"] == 1


@pytest.mark.parametrize("key, said", [({"secret": "wrong"}, "access is denied"), ({"key": "nobody"}, "access is denied"),
                                       ({"key": None, "secret": None, "anon": True}, "the server refuses the request")],
                         ids=["wrong secret", "unknown key", "unsigned"])
@pytest.mark.parametrize("url", ["s3://bucket/job/", "s3://bucket/job/*"])
def test_who_has_no_valid_signature_is_refused_in_words(server, traces, tmp_path, key, said, url):
    with pytest.raises(stepscope.InputError, match=said) as raised:
        mapped(server, tmp_path, url, **key)
    assert raised.value.where == url.rstrip("/") and "credentials" in raised.value.hint
    assert "its secret" not in str(raised.value) and not list(tmp_path.iterdir())


def test_a_certificate_that_is_not_trusted_is_told(tmp_path, long, monkeypatch):
    monkeypatch.delenv("AWS_CA_BUNDLE", raising=False)
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                    "-subj", "/CN=any", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    (tmp_path / "root" / "bucket").mkdir(parents=True)
    shutil.copy(long[0], tmp_path / "root" / "bucket")
    options = {"config_kwargs": {"retries": {"max_attempts": 0}}, "skip_instance_cache": True}
    with serving(tmp_path / "root", "--cert", str(certificate), "--key", str(key)) as server:
        with pytest.raises(stepscope.InputError, match="certificate verify failed") as raised:
            mapped(server, tmp_path / "out", "s3://bucket/*", **options)
        assert "AWS_CA_BUNDLE" in raised.value.hint
        monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
        assert mapped(server, tmp_path / "out", "s3://bucket/*", **options).metrics["ranks"] == 1
