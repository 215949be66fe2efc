"""Reads what launchers and schedulers tell a process: its job, labels, rank and attempt."""
import os
import weakref

_SLURM_LABELS = (("cluster", "SLURM_CLUSTER_NAME"), ("queue", "SLURM_JOB_PARTITION"),
                 ("user", "SLURM_JOB_USER"), ("project", "SLURM_JOB_ACCOUNT"),
                 ("nodes", "SLURM_JOB_NUM_NODES"))


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


# Of the last recorder that was opened in this process, weakly.
_recorder = None


def remember(recorder):
    """Makes this recorder the one that `job_of_process` asks."""
    global _recorder
    _recorder = weakref.ref(recorder)


def job_of_process(job=None):
    """Returns a job's name in ledgers: `job`, or that of this process's recorder, or what the environment calls it;
    "" where nothing tells."""
    recorder = _recorder() if _recorder is not None else None
    if not job and recorder is not None:
        job = recorder.job
    for name in ("STEPSCOPE_JOB", "PT_PROFILER_JOB_NAME", "SLURM_JOB_NAME", "JOBSET_NAME", "TORCHELASTIC_RUN_ID"):
        value = os.environ.get(name, "")
        if not job and value != "none":  # what torchrun calls a run without a name
            job = value
    return job_of_team(str(job), labels_of(os.environ)) if job else ""


def rank_of_process():
    """Returns the rank as the innermost launcher set it, or None."""
    return _number_of("STEPSCOPE_RANK", "RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "JAX_PROCESS_ID",
                      "SLURM_PROCID", "JOB_COMPLETION_INDEX")


def local_rank_of_process():
    """Returns the rank among the processes of this host, or None."""
    return _number_of("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID")


def world_size_of_process():
    """Returns how many ranks there are, as the launcher set it, or None."""
    return _number_of("STEPSCOPE_WORLD_SIZE", "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "JAX_NUM_PROCESSES",
                      "SLURM_NTASKS")


def _number_of(*names):
    for name in names:
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
