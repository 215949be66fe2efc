"""Reads what launchers and schedulers tell a process: its labels, rank and attempt."""
import os

_SLURM_LABELS = (("cluster", "SLURM_CLUSTER_NAME"), ("queue", "SLURM_JOB_PARTITION"),
                 ("user", "SLURM_JOB_USER"), ("project", "SLURM_JOB_ACCOUNT"))


def labels_of(environment):
    """Returns the labels of STEPSCOPE_LABELS ("team=nlp,project=llm"), then what Slurm says and they do not."""
    labels = {}
    for part in environment.get("STEPSCOPE_LABELS", "").split(","):
        name, _, value = (text.strip() for text in part.partition("="))
        if name and value:
            labels.setdefault(name, value)
    for name, variable in _SLURM_LABELS:
        if environment.get(variable):
            labels.setdefault(name, environment[variable])
    return list(labels.items())


def job_of_team(job, labels):
    """Returns the job's name in a ledger: "team/job", so that jobs of one name in two teams stay two."""
    team = dict(labels).get("team")
    return job if team is None or job.startswith(team + "/") else "{}/{}".format(team, job)


def rank_of_process():
    """Returns the rank as the innermost launcher set it, or None."""
    for name in ("STEPSCOPE_RANK", "RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                 "JAX_PROCESS_ID", "SLURM_PROCID", "JOB_COMPLETION_INDEX"):
        value = os.environ.get(name, "")
        if value.isascii() and value.isdigit():
            return int(value)
    return None


def attempt_of(name):
    """Returns the name and the restarts that launchers count: "name~slurm.4711.1~torchelastic.run.2"."""
    def part(variable, default=""):
        return (os.environ.get(variable) or default).replace("~", "-")

    attempt = str(name or os.environ.get("STEPSCOPE_ATTEMPT") or "").replace("~", "-")
    if os.environ.get("SLURM_JOB_ID"):
        attempt += "~slurm.{}.{}".format(part("SLURM_JOB_ID"), part("SLURM_RESTART_COUNT", "0"))
    elif os.environ.get("JOBSET_RESTART_ATTEMPT"):
        attempt += "~jobset." + part("JOBSET_RESTART_ATTEMPT")
    if os.environ.get("TORCHELASTIC_RESTART_COUNT"):
        attempt += "~torchelastic.{}.{}".format(part("TORCHELASTIC_RUN_ID"),
                                                part("TORCHELASTIC_RESTART_COUNT"))
    return attempt


def folder_of(directory=None):
    """Returns where events are recorded, as an absolute path."""
    return os.path.abspath(directory or os.environ.get("STEPSCOPE_GOODPUT_DIR") or "stepscope-goodput")
