// Makes a small timeline for tests, with tiles written by the plainest code that follows the format.
import type { EventDetails, EventRef, Match, TileId, TimelineInfo, Track } from "../src/data/source";

export interface FakeEvent {
  readonly row?: number;
  readonly start: number;
  readonly duration: number;
  readonly name?: string;
  readonly kind?: number;
}

export interface FakePoint { readonly time: number; readonly value: number }

export interface FakeTrack {
  readonly kind?: Track["kind"];
  readonly group?: string;
  readonly name?: string;
  readonly rank?: number;
  readonly events?: readonly FakeEvent[];
  readonly points?: readonly FakePoint[];
}

const kBuckets = 512;

// Arrays one after another, each padded to 8 bytes.
class Writer {
  private readonly parts: Uint8Array[] = [];
  size = 0;

  add(array: Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array): void {
    const padded = new Uint8Array(Math.ceil(array.byteLength / 8) * 8);
    padded.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    this.parts.push(padded);
    this.size += padded.length;
  }

  bytes(): ArrayBuffer {
    const all = new Uint8Array(this.size);
    let at = 0;
    for (const part of this.parts) {
      all.set(part, at);
      at += part.length;
    }
    return all.buffer;
  }
}

interface Span { row: number; bucket: number; count: number; covered: number; kind: number }

export function encodeTile(id: TileId, track: FakeTrack): ArrayBuffer {
  const bucket = 2 ** id.level, start = id.index * kBuckets * bucket, end = start + kBuckets * bucket;
  const met = (track.events ?? []).map((event, number) => ({ row: 0, kind: 0, name: "", ...event, number }))
    .filter((event) => event.start < end && event.start + event.duration >= start);
  const boxes = met.filter((event) => event.duration >= bucket).sort((a, b) => a.row - b.row || a.start - b.start);
  const spans = spansOf(met.filter((event) => event.duration < bucket && event.start >= start), start, bucket);
  const points = pointsOf(track.points ?? [], start, bucket);
  const names = [...new Set(boxes.map((box) => box.name))];
  const texts = names.map((name) => new TextEncoder().encode(name));
  let sum = 0;
  const ends = texts.map((text) => (sum += text.length));

  const body = new Writer();
  body.add(Float64Array.from(boxes, (box) => box.start));
  body.add(Float64Array.from(boxes, (box) => box.duration));
  body.add(Uint32Array.from(boxes, (box) => box.number));
  body.add(Uint32Array.from(boxes, (box) => names.indexOf(box.name)));
  body.add(Uint16Array.from(boxes, (box) => box.row));
  body.add(Uint8Array.from(boxes, (box) => box.kind));
  body.add(new Uint8Array(boxes.length));
  body.add(Uint16Array.from(spans, (span) => span.bucket));
  body.add(Uint16Array.from(spans, (span) => span.row));
  body.add(Uint32Array.from(spans, (span) => span.count));
  body.add(Uint8Array.from(spans, (span) => Math.max(1, Math.ceil(Math.min(1, span.covered / bucket) * 255))));
  body.add(Uint8Array.from(spans, (span) => span.kind));
  body.add(Uint16Array.from(points, (point) => point.bucket));
  for (const part of ["low", "high", "last"] as const) body.add(Float32Array.from(points, (point) => point[part]));
  body.add(Uint32Array.from(ends));
  body.add(Uint8Array.from(texts.flatMap((text) => [...text])));

  const tile = new Writer();
  tile.add(Uint32Array.of(0x31544c53, body.size + 40, id.track, id.level, id.index >>> 0,
    boxes.length, spans.length, names.length, points.length, 0));
  tile.add(new Uint8Array(body.bytes()));
  return tile.bytes();
}

function spansOf(events: readonly Required<FakeEvent>[], start: number, bucket: number): Span[] {
  const spans = new Map<string, Span>();
  for (const event of events) {
    const at = Math.floor((event.start - start) / bucket), key = `${event.row} ${at}`;
    const span = spans.get(key) ?? { row: event.row, bucket: at, count: 0, covered: 0, kind: event.kind };
    spans.set(key, { ...span, count: span.count + 1, covered: span.covered + event.duration });
  }
  return [...spans.values()].sort((a, b) => a.row - b.row || a.bucket - b.bucket);
}

function pointsOf(points: readonly FakePoint[], start: number, bucket: number) {
  const buckets = new Map<number, { bucket: number; low: number; high: number; last: number }>();
  const before = points.findLast((point) => point.time < start);
  if (before && points.length > 0) buckets.set(0, { bucket: 0, low: before.value, high: before.value, last: before.value });
  let first = true;
  for (const { time, value } of points) {
    const at = Math.floor((time - start) / bucket);
    if (time < start || at >= kBuckets) continue;
    const known = at === 0 && first ? undefined : buckets.get(at);
    first = false;
    buckets.set(at, {
      bucket: at, last: value, low: Math.min(known?.low ?? value, value), high: Math.max(known?.high ?? value, value),
    });
  }
  return [...buckets.values()].sort((a, b) => a.bucket - b.bucket);
}

export function joined(parts: readonly ArrayBuffer[]): ArrayBuffer {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    all.set(new Uint8Array(part), at);
    at += part.byteLength;
  }
  return all.buffer;
}

export function fakeInfo(tracks: readonly FakeTrack[], steps: TimelineInfo["steps"] = []): TimelineInfo {
  const ranks = 1 + Math.max(0, ...tracks.map((track) => track.rank ?? 0));
  const ends = tracks.flatMap((track) => [
    ...(track.events ?? []).map((event) => event.start + event.duration), ...(track.points ?? []).map((point) => point.time),
  ]);
  const end = ends.reduce((most, end) => Math.max(most, end), 1);
  return {
    end,
    ranks: Array.from({ length: ranks }, (_, rank) => ({ rank, window: 0, name: `rank ${rank}`, aligned: true, own_begin: 0, own_end: end })),
    steps,
    tracks: tracks.map((track, id) => ({
      id, rank_index: track.rank ?? 0, kind: track.kind ?? "stream", group: track.group ?? "GPU 0", name: track.name ?? `stream ${id}`,
      rows: track.points ? 0 : 1 + (track.events ?? []).reduce((most, event) => Math.max(most, event.row ?? 0), 0),
      events: track.points?.length ?? track.events?.length ?? 0,
      unit: track.points ? "bytes" : "",
      max: (track.points ?? []).reduce((most, point) => Math.max(most, point.value), 0),
    })),
    kinds: ["compute", "communication", "memcpy", "runtime", "unknown"],
    column_kinds: ["compute", "communication", "memory", "host", "other"],
  };
}

export function fakeDetails(tracks: readonly FakeTrack[], ref: EventRef): EventDetails {
  const track = tracks[ref.track], event = track?.events?.[ref.event];
  if (!track || !event) throw new Error("no such event");
  return {
    ...ref, name: event.name ?? "", kind: fakeInfo(tracks).kinds[event.kind ?? 0] ?? "unknown", row: event.row ?? 0,
    start: event.start, duration: event.duration, rank: track.rank ?? 0, fields: [], stack: [], links: [],
  };
}

export function fakeMatches(tracks: readonly FakeTrack[], q: string): Match[] {
  const text = q.toLowerCase();
  return tracks.flatMap((track, id) => (track.events ?? []).flatMap((event, number) =>
    (event.name ?? "").toLowerCase().includes(text)
      ? [{ track: id, event: number, start: event.start, duration: event.duration, name: event.name ?? "" }] : []))
    .sort((a, b) => a.start - b.start);
}
