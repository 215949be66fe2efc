// Writes the traces of a job on processors whose ranks spend time in one Python function, as much as each step is told.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const kCompute = 40_000, kReduce = 4_000;  // µs
const kWorld = (ranks: number): number[] => Array.from({ length: ranks }, (_, rank) => rank);

export const kFunction = "detect (train.py:41)";  // as findings call it

// `late`: ms of the function in a step of a rank; `warmUp`: ms more compute in the first step of all.
export function writeLateHosts(path: string, ranks: number, steps: number, late: (rank: number, step: number) => number, warmUp = 0): void {
  mkdirSync(path);
  const own = (rank: number, step: number) => kCompute + 2_000 * ((rank + step) % 2) + 1000 * late(rank, step) + (step === 0 ? 1000 * warmUp : 0);
  for (const rank of kWorld(ranks)) {
    const traceEvents: object[] = [];
    const add = (cat: string, name: string, tid: number, ts: number, dur: number, args: object = {}) =>
      traceEvents.push({ ph: "X", cat, name, pid: 100 + rank, tid, ts, dur, args });
    for (let step = 0, start = 1000; step < steps; ++step) {
      const last = Math.max(...kWorld(ranks).map((other) => own(other, step))), length = last + kReduce, mine = own(rank, step);
      const slow = 1000 * late(rank, step), at = start + mine;
      add("user_annotation", `ProfilerStep#${step}`, 1, start, length);
      add("python_function", "train.py(10): one_step", 1, start, length - 10, { "Python id": 2 * step + 1, "Python parent id": null });
      add("cpu_op", "aten::mm", 1, start + 100, mine - slow - 300, { "Input Dims": [[64, 64], [64, 64]], "Input type": ["float", "float"] });
      if (slow > 0) add("python_function", "train.py(41): detect", 1, at - slow - 150, slow, { "Python id": 2 * step + 2, "Python parent id": 2 * step + 1 });
      add("cpu_op", "c10d::allreduce_", 1, at, 50);
      add("user_annotation", "gloo:all_reduce", 2, at + 10, start + length - at - 20, { "Input Dims": [[4096]], "Input type": ["float"] });
      start += length;
    }
    const pg = [{ pg_name: "0", pg_desc: "default_pg", backend_config: "cpu:gloo", pg_size: ranks, ranks: kWorld(ranks) }];
    writeFileSync(join(path, `rank${rank}.json`), JSON.stringify({
      schemaVersion: 1, deviceProperties: [], with_stack: 1, record_shapes: 1,
      distributedInfo: { backend: "gloo", rank, world_size: ranks, pg_count: 1, pg_config: pg }, traceEvents,
    }));
  }
}
