"""Kubernetes' own schemas take the manifests of `stepscope cluster k8s`; no cluster is asked.

Jobs: the schemas of each version since 1.33 that kubernetes-validate (PyPI) has. JobSets: the definition in the Go module
sigs.k8s.io/jobset, skipped where there is no Go. Fields that a schema does not name are errors.
"""
import json
import shutil
import subprocess
from pathlib import Path

import pytest

JOBSET = "sigs.k8s.io/jobset@v0.10.1"


@pytest.fixture
def manifests(tmp_path, run_program):
    """Writes manifests with these options; returns them by name."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

    def written(*options):
        made = run_program("cluster", "k8s", '/data/a "job\'s" $(traces): #1', "-o", tmp_path, "--image", "registry/stepscope:1",
                           "--claim", "traces", "--shards", 64, *options)
        assert made.returncode == 0, made.stderr
        return {path.name: yaml.safe_load(path.read_text()) for path in tmp_path.glob("*.yaml")}

    return written


def test_jobs_fit_the_schemas_of_kubernetes(manifests):
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    versions = [v for v in sorted(set(validate.utils.all_versions())) if tuple(map(int, v.split(".")[:2])) >= (1, 33)]
    assert versions
    jobs = manifests()
    assert set(jobs) == {"map.yaml", "reduce.yaml"}
    for version in versions:
        for job in jobs.values():
            validate.validate(job, version, strict=True)
    jobs["map.yaml"]["spec"]["completionMod"] = "Indexed"
    with pytest.raises(validate.ValidationError):
        validate.validate(jobs["map.yaml"], versions[-1], strict=True)


def test_the_job_set_fits_its_definition(manifests, tmp_path_factory):
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = strict(definition_of_job_sets(tmp_path_factory.mktemp("go")))
    job_set = manifests("--jobset")["jobset.yaml"]
    jsonschema.validate(job_set, schema)
    job_set["spec"]["replicatedJobs"][1]["dependsOn"][0]["status"] = "Gone"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(job_set, schema)


def definition_of_job_sets(folder):
    import yaml

    if not shutil.which("go"):
        pytest.skip("there is no Go, whose client gets the definition of JobSets")
    (folder / "go.mod").write_text("module x\n")
    got = subprocess.run(["go", "mod", "download", "-json", JOBSET], cwd=folder, capture_output=True, text=True)
    if got.returncode != 0:
        pytest.skip("the Go module of JobSets cannot be had here")
    bases = Path(json.loads(got.stdout)["Dir"]) / "config/components/crd/bases"
    defined = yaml.safe_load((bases / "jobset.x-k8s.io_jobsets.yaml").read_text())
    [version] = [v for v in defined["spec"]["versions"] if v["name"] == "v1alpha2"]
    return version["schema"]["openAPIV3Schema"]


def strict(schema):
    """The same, but without fields that it does not name; objects of Kubernetes' own, such as metadata, may have any."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        inner["additionalProperties"] = False
    return inner
