"""Events of a small fleet: teams, clusters, chips known and unknown, a scheduler, disruptions with and without a node."""
import json

DAY = 86400
BEGIN = 1778803200  # 2026-05-15, a Friday


def job_events(name, labels, chips, begin, days, ends):
    """A job of `days` whose first attempts end as `ends` say: (host or None, cause or None)."""
    now = BEGIN + begin

    def line(event, **more):
        return json.dumps({"job_name": name, "event": event, "time": now, **more}) + "\n"
    for label in labels.items():
        yield line("label", text="%s=%s" % label)
    if chips:
        yield line("resources", requested=chips, allocated=0)
    now += 600
    if chips:
        yield line("resources", requested=chips, allocated=chips)
    step = 0
    for attempt in range(len(ends) + 1):
        yield line("job_start", attempt=f"a{attempt}")
        yield line("training_prep_begin")
        now += 120
        yield line("training_prep_end")
        for _ in range(int(days * DAY / (len(ends) + 1) / 1800)):
            yield line("step_start", step=step)
            now, step = now + 1800, step + 1
        step = max(0, step - 3)
        if attempt < len(ends):
            now += 1800 + 60 * attempt
    yield line("job_end")


def two_ranks(name, begin):
    """Two ranks on two nodes; the first attempt ends as rank 1 falls silent a step before the other."""
    for attempt, steps in enumerate((40, 30)):
        for rank in (0, 1):
            writer = f"node-{rank}/{rank}/boot/{attempt}/x"
            begun = BEGIN + begin + attempt * 50_000
            sequence = 0
            for step in range(steps - (1 if rank == 1 and attempt == 0 else 0)):
                if step == 0:
                    yield json.dumps({"job_name": name, "event": "job_start", "time": begun, "attempt": f"a{attempt}",
                                      "rank": rank, "writer": writer, "sequence": 0}) + "\n"
                sequence += 1
                yield json.dumps({"job_name": name, "event": "step_start", "time": begun + 60 + step * 600,
                                  "step": step + attempt * 30, "rank": rank, "writer": writer, "sequence": sequence,
                                  "attempt": f"a{attempt}"}) + "\n"


JOBS = 17  # of write_events()


def write_events(path):
    teams = ["nlp", "vision", "ads"]
    with open(path, "w", encoding="utf-8") as out:
        for j in range(12):
            labels = {"queue": "gpu", "cluster": f"c{j % 2}", "nodes": 2 ** (j % 4)}
            if j % 4 == 0:
                labels["chip"] = "H100"
            name = f"{teams[j % 3]}/job-{j}"
            out.writelines(job_events(name, labels, [0, 8, 64, 512][j % 4], j * 7000, 3 + j * 2.3, [None] * (j % 5)))
        out.writelines(two_ranks("nlp/ranks", 20_000))
        out.writelines(job_events("plain\u00e9 it's", {}, 0, 5000, 1.5, [None]))
        out.writelines(job_events("dash", {"team": "-", "cluster": "-"}, 8, 9000, 2, [None]))
        out.writelines(job_events("empty", {"team": "", "cluster": "", "chip": ""}, 16, 9500, 2.5, [None]))
        out.writelines(job_events("tpu/known", {"cluster": "c0"}, 4, 9700, 2.2, [None]))
