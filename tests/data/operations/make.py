"""Makes the Parquet files of tests, with pyarrow: the operations of a job that never ran, and columns in every form
that is read. `python make.py` writes beside this file; the tests need none of it."""
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
DP, PP, MICROBATCHES, STEPS = 2, 2, 3, 4
TIMES = {"forward-compute": 0.010, "backward-compute": 0.020, "gc": 0.0, "optimizer": 0.002}
TRANSFERS = {"params-all-gather": 0.004, "grads-reduce-scatter": 0.006, "layernorm-grads-all-reduce": 0.0001,
             "embedding-grads-all-reduce": 0.001, "optimizer-clip-main-grad": 0.0005}
SLOW_STAGE, SLOW_FACTOR, MESSAGE = 1, 1.5, 0.001


def step_of(step, rng):
    """The rows of one step: 1F1B, the last stage takes half as long again."""
    rows, ready = [], {}

    def add(dp, stage, kind, seq, start, end, mc=-1, gmc=-1, mb=-1):
        rows.append(dict(dp_rank=dp, stage=stage, rank=dp * PP + stage, step=step, optype=kind, start_ts=start,
                         duration=end - start, seq_id=seq, mc=mc, mb_id=mb, gmc=gmc))

    def took(kind, stage):
        noise = 1 + 0.02 * rng.random()
        return TIMES[kind] * noise * (SLOW_FACTOR if stage == SLOW_STAGE and "compute" in kind else 1)

    for stage in range(PP):
        begins = [0.001 + 0.0002 * dp for dp in range(DP)]
        for dp in range(DP):
            end = max(begins) + TRANSFERS["params-all-gather"]
            add(dp, stage, "params-all-gather", 0, begins[dp], end, 0, -1)
            ready[dp, stage] = end
    for dp in range(DP):
        first, last = ready[dp, 0], ready[dp, 1]
        posted, free = last, {}
        for mb in range(MICROBATCHES):  # warm-up and steady state of two stages, in this order
            if mb == 0:
                end = first + took("forward-compute", 0)
                add(dp, 0, "forward-compute", 0, first, end, 0, 0, 0)
                free["sent"], first = end, end
            sent = free["sent"]
            arrives = max(sent, posted) + MESSAGE
            add(dp, 0, "forward-send", mb, sent, arrives)
            add(dp, 1, "forward-recv", mb, posted, arrives)
            start = max(last, arrives)
            end = start + took("forward-compute", 1)
            add(dp, 1, "forward-compute", mb, start, end, 0, 1, mb)
            posted = end
            start, end = end, end + took("backward-compute", 1)
            add(dp, 1, "backward-compute", mb, start, end, 0, 1, mb)
            last = end
            if mb + 1 < MICROBATCHES:
                stop = first + took("forward-compute", 0)
                add(dp, 0, "forward-compute", mb + 1, first, stop, 0, 0, mb + 1)
                first, free["sent"] = stop, stop
            arrives = max(end, first) + MESSAGE
            add(dp, 1, "backward-send", mb, end, arrives)
            add(dp, 0, "backward-recv", mb, first, arrives)
            stop = arrives + took("backward-compute", 0)
            add(dp, 0, "backward-compute", mb, arrives, stop, 0, 0, mb)
            first = stop
        ready[dp, 0], ready[dp, 1] = first, last
    for kind, across in [("gc", None), ("layernorm-grads-all-reduce", None), ("embedding-grads-all-reduce", "stage"),
                         ("grads-reduce-scatter", "dp"), ("optimizer-clip-main-grad", "all"), ("optimizer", None)]:
        begins = dict(ready)
        for (dp, stage), begin in begins.items():
            group = [t for (d, s), t in begins.items() if across == "all" or (across == "stage" and d == dp)
                     or (across == "dp" and s == stage) or (d, s) == (dp, stage)]
            length = took(kind, stage) if kind in TIMES else TRANSFERS[kind]
            add(dp, stage, kind, 0, begin, max(group) + length, 0 if kind == "grads-reduce-scatter" else -1, -1,
                0 if kind == "gc" else -1)
            ready[dp, stage] = max(group) + length
    return rows


def operations():
    rng = random.Random(1)
    rows = [row for step in range(10, 10 + STEPS) for row in step_of(step, rng)]
    types = dict(dp_rank=pa.int8(), stage=pa.int8(), rank=pa.int16(), step=pa.int64(), optype=pa.string(),
                 start_ts=pa.float32(), duration=pa.float32(), seq_id=pa.int32(), mc=pa.int8(), mb_id=pa.int8(),
                 gmc=pa.int16())
    table = pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in types.items()})
    at = table.column_names.index("optype")  # as categories, which StragglerAnalysis wants
    table = table.set_column(at, "optype", table["optype"].dictionary_encode())
    pq.write_table(table, HERE / "trace-planted.parquet", compression="snappy")
    (HERE / "meta-planted.yaml").write_text(
        f"trial_name: planted\nrun_id: 0\ndp_size: {DP}\ndsp_size: 1\npp_size: {PP}\ntp_size: 1\nvpp_size: 1\n"
        f"world_size: {DP * PP}\n")


def forms():
    rows = 60
    table = pa.table({
        "flag": pa.array([n % 3 == 0 for n in range(rows)]),
        "small": pa.array([n % 7 - 3 for n in range(rows)], pa.int32()),
        "large": pa.array([(n - 30) * 10**15 for n in range(rows)], pa.int64()),
        "single": pa.array([n / 8 for n in range(rows)], pa.float32()),
        "double": pa.array([n / 10 for n in range(rows)], pa.float64()),
        "text": pa.array([f"name {n % 5}" for n in range(rows)]),
        "gap": pa.array([None if n % 4 == 1 else n for n in range(rows)], pa.int64()),
        "list": pa.array([[n, n] for n in range(rows)], pa.list_(pa.int32())),
    })
    folder = HERE.parent / "parquet"
    for name, options in {
            "dictionary_v1": dict(),
            "plain_v1": dict(use_dictionary=False, compression="none"),
            "plain_v2": dict(use_dictionary=False, data_page_version="2.0"),
            "dictionary_v2": dict(data_page_version="2.0", compression="gzip"),
            "pages": dict(data_page_size=64, write_batch_size=16, row_group_size=25, compression="none"),
            "zstd": dict(compression="zstd"),
    }.items():
        # With pages of version 2 booleans are run lengths.
        part = table.drop_columns(["flag", "list"]) if name == "plain_v2" else table
        if name == "plain_v2":
            options["column_encoding"] = {c: "PLAIN" for c in part.column_names}
        pq.write_table(part, folder / f"{name}.parquet", store_schema=False, **options)


if __name__ == "__main__":
    operations()
    forms()
