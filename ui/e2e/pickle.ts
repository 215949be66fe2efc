// Writes plain values as Python's pickle does, protocol 4: what a memory snapshot consists of.
type Plain = number | string | readonly Plain[] | { readonly [key: string]: Plain };

function bytesOf(value: Plain): Buffer {
  if (typeof value === "number") {
    const long = Buffer.alloc(10);
    long.set([0x8a, 8]);
    long.writeBigInt64LE(BigInt(value), 2);
    return long;
  }
  if (typeof value === "string") {
    const text = Buffer.from(value), head = Buffer.alloc(5);
    head[0] = 0x58;
    head.writeUInt32LE(text.length, 1);
    return Buffer.concat([head, text, Buffer.from([0x94])]);
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from("]\x94(", "latin1"), ...value.map(bytesOf), Buffer.from("e")]);
  const items = Object.entries(value).flatMap(([key, item]) => [bytesOf(key), bytesOf(item as Plain)]);
  return Buffer.concat([Buffer.from("}\x94(", "latin1"), ...items, Buffer.from("u")]);
}

export const pickleOf = (value: Plain): Buffer => Buffer.concat([Buffer.from([0x80, 4]), bytesOf(value), Buffer.from(".")]);

const kStart = 1_750_000_000_000_000;  // us since the epoch

const frames = (place: string, line: number, name = "at::_ops::mm::call"): Plain => [
  { name, filename: "??", line: 0 }, { name: place, filename: "/home/user/train.py", line },
];

// Steps that keep their activations until the backward, an optimizer whose state comes with the first, and a list that keeps 8 MB of
// each step.
export function snapshotPickle(steps = 12): Buffer {
  const events: Plain[] = [], blocks: Plain[] = [], ranges: Plain[] = [];
  let time = kStart, next = 0;
  const event = (action: string, addr: number, size: number, stack: Plain = []) => { events.push({ action, addr, size, stream: 0, time_us: (time += 7), frames: stack }); };
  const kMB = 1 << 20, whole = 1024 * kMB;
  const kept: { readonly at: number; readonly size: number; readonly stack: Plain }[] = [];
  const take = (size: number, stack: Plain): number => {
    const at = next;
    next += size;
    event("alloc", at, size - 100, stack);
    return at;
  };
  const keep = (size: number, stack: Plain) => { kept.push({ at: take(size, stack), size, stack }); };
  keep(160 * kMB, frames("build", 12));
  for (let step = 0; step < steps; ++step) {
    ranges.push({ name: `ProfilerStep#${step}`, stage: "START", device: 0, time_us: time + 1 });
    if (step === 0) keep(96 * kMB, [{ name: "adamw", filename: "/usr/lib/python3/site-packages/torch/optim/adamw.py", line: 40 }, ...(frames("step", 90) as Plain[])]);
    keep(8 * kMB, frames("log", 71));
    const base = 700 * kMB, gone: [number, number][] = [];
    for (let layer = 0; layer < 24; ++layer) {
      const at = base + layer * 10 * kMB, size = 10 * kMB - 100;
      event("alloc", at, size, frames(layer % 2 ? "mlp" : "attention", 30 + layer));
      gone.push([at, size]);
    }
    for (const [at, size] of gone.reverse()) {
      event("alloc", 1000 * kMB, 4 * kMB, [{ name: "torch::autograd::Engine::evaluate_function", filename: "??", line: 0 }, { name: "torch::autograd::generated::MmBackward0::apply", filename: "??", line: 0 }]);
      event("free_completed", at, size);
      event("free_completed", 1000 * kMB, 4 * kMB);
    }
    ranges.push({ name: `ProfilerStep#${step}`, stage: "END", device: 0, time_us: time + 1 });
  }
  for (const { at, size, stack } of kept) blocks.push({ address: at, size, requested_size: size - 100, state: "active_allocated", frames: stack });
  const free = 512 * kMB - next;
  blocks.push({ address: next, size: free, requested_size: 0, state: "inactive", frames: [] });
  const segment = (address: number, size: number, allocated: number, held: Plain): Plain =>
    ({ device: 0, address, total_size: size, allocated_size: allocated, active_size: allocated, requested_size: allocated, stream: 0, segment_type: "large", blocks: held });
  const second: Plain = [
    { address: 512 * kMB, size: 200 * kMB, requested_size: 0, state: "inactive", frames: [] },
    { address: 712 * kMB, size: kMB, requested_size: 0, state: "inactive", frames: [] },
    { address: 713 * kMB, size: whole - 713 * kMB, requested_size: 0, state: "inactive", frames: [] }];
  return pickleOf({
    segments: [segment(0, 512 * kMB, next, blocks), segment(512 * kMB, whole - 512 * kMB, 0, second)],
    device_traces: [events], external_annotations: ranges,
  });
}
