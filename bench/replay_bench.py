"""Measures how far replays of all ranks are from what was recorded.

The table of errors in docs/replay.md, between its two marks, is written from the traces in ../shared
where these are there.
"""
import json

from measure import ROOT, STEPSCOPE, run

SHARED = ROOT.parent / "shared" / "traces"
DOCS = ROOT / "docs" / "replay.md"
BEGIN, END = "<!-- errors, by ./dev bench -->\n", "<!-- end of errors -->\n"

# What to call a recording, and where it is.
RECORDINGS = [
    ("generated, dp 2 x pp 2 x tp 2, 8 ranks", ["planted_3d_small"]),
    ("DLRM, 8 ranks", ["param/dlrm_8ranks"]),
    ("ResNet-50 on V100, one of 8 ranks", ["param/resnet"]),
    ("BERT, Qwen on H100", ["torch2/h100_bert", "torch2/h100_qwen"]),
    ("inference on B200", ["torch2/b200_eager"]),
    ("ResNet-18 on MI300", ["torch2/mi300_resnet_act_checkpoint"]),
    ("MI250", ["hta/amd_mi250"]),
    ("diffusion on H200", ["torch2/xdit_sd35"]),
    ("compiled model", ["torch2/torch_compile_triton"]),
    ("DualPipe, one of 64 ranks", ["deepseek"]),
    ("2 of 128 ranks", ["hta/two_ranks"]),
    ("one of two ranks, NCCL", ["hta/nccl"]),
    ("before and after a change", ["hta/trace_diff/control", "hta/trace_diff/test"]),
    ("a trace with 64 ms without any record", ["hta/queue_length"]),
    ("a window of a server that decodes", ["torch2/sglang_decode"]),
    ("DDP of two processes over gloo, healthy", [f"real_gloo/ddp_none_{i}" for i in (1, 2, 3)]),
    ("DDP of two processes over gloo, with a fault", [f"real_gloo/ddp_{fault}_{i}" for fault in ("py", "ln", "batch")
                               for i in (1, 2, 3)]),
    ("pipeline of two processes over gloo, healthy",
     [f"real_gloo/pipe_none_{i}" for i in (1, 2, 3)]),
    ("pipeline of two processes over gloo, with a fault", [f"real_gloo/pipe_{fault}_{i}" for fault in ("py", "ln")
                               for i in (1, 2, 3)]),
]


def errors_of(path):
    """Median and worst error of a step, and whether the answer is partial; None: no answer."""
    command = [STEPSCOPE, "whatif", path, "--format", "json"]
    report = json.loads(run(command, keep_output=True)[1])["reports"][0]
    metrics = {metric["key"]: metric["value"] for metric in report["metrics"]}
    if "error_ratio" not in metrics:
        return None
    return metrics["error_ratio"], metrics["worst_error_ratio"], report["status"] == "partial"


def percent(ratios):
    """"0.3%", "<0.1%", "0.0 to 1.2%" of several."""
    def one(ratio):
        return "<0.1" if 0 < ratio < 0.0005 else f"{100 * ratio:.1f}"
    low, high = one(min(ratios)), one(max(ratios))
    return f"{low}%" if low == high else f"{low} to {high}%"


def table():
    lines = ["| recording | median | worst step |", "|---|---|---|"]
    for name, paths in RECORDINGS:
        errors = [e for e in (errors_of(SHARED / p) for p in paths if (SHARED / p).exists()) if e]
        if not errors:
            continue
        partial = sum(e[2] for e in errors)
        worst = percent([e[1] for e in errors])
        if partial:
            worst += ": `partial`" if len(errors) == 1 else f": {partial} of {len(errors)} `partial`"
        lines.append(f"| {name} | {percent([e[0] for e in errors])} | {worst} |")
    return "\n".join(lines) + "\n"


def write_errors():
    """Renews the table in the documentation."""
    text = DOCS.read_text()
    if not SHARED.exists() or BEGIN not in text:
        return
    before, rest = text.split(BEGIN)
    DOCS.write_text(before + BEGIN + table() + END + rest.split(END)[1])


if __name__ == "__main__":
    write_errors()
