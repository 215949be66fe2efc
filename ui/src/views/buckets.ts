// How the buckets of a goodput report look.
import type { Kind } from "../shell/palette";

const kBuckets: readonly (readonly [pattern: RegExp, kind: Kind])[] = [
  [/^PRODUCTIVE/, "compute"], [/^WASTED/, "input"], [/RECOVERY/, "wait"], [/^IN_PROGRESS/, "overlap"],
  [/STARTUP|INITIALIZATION|PREP/, "host"], [/CHECKPOINT/, "memory"], [/^QUEUED|^ALLOCATED/, "idle"],
  [/DATA_LOADING/, "output"], [/^ELASTIC/, "launch"], [/^CUSTOM/, "optimizer"], [/^EXCLUDED/, "compilation"],
];

export function bucketKind(bucket: string): Kind {
  return kBuckets.find(([pattern]) => pattern.test(bucket))?.[1] ?? "other";
}
