// Writes the trace of one process that runs several GPUs, each of which computes in a step for as long as it is told; a
// collective of all ends the step.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const kReduce = 2_000, kBetween = 500;  // µs

// `compute`: ms of a device in a step.
export function writeDevices(path: string, devices: number, steps: number, compute: (device: number, step: number) => number): void {
  mkdirSync(path);
  const all = Array.from({ length: devices }, (_, device) => device), traceEvents: object[] = [];
  let correlation = 0, start = 1000;
  const add = (cat: string, name: string, tid: number, ts: number, dur: number, args: object) =>
    traceEvents.push({ ph: "X", cat, name, pid: cat === "kernel" ? 0 : 100, tid, ts, dur, args });
  for (let step = 0; step < steps; ++step) {
    const last = Math.max(...all.map((device) => compute(device, step))) * 1000, length = last + kReduce + kBetween;
    add("user_annotation", `ProfilerStep#${step}`, 1, start, length, {});
    for (const device of all) {
      const launch = (name: string, from: number, dur: number, at: number) => {
        add("cuda_runtime", "cudaLaunchKernel", 1, start + at, 3, { correlation: ++correlation });
        add("kernel", name, 7 + device, from, dur, { device, stream: 7 + device, correlation });
      };
      const own = 1000 * compute(device, step);
      launch("gemm", start + 100, own, 10 * device + 5);
      launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", start + 100 + own, last + kReduce - own, 10 * device + 9);
    }
    start += length;
  }
  writeFileSync(join(path, "rank0.json"), JSON.stringify({
    schemaVersion: 1, deviceProperties: all.map((id) => ({ id, name: "NVIDIA H100", totalGlobalMem: 80e9 })),
    distributedInfo: { backend: "nccl", rank: 0, world_size: 1 }, traceEvents,
  }));
}
