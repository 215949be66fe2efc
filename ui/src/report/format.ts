// Formats numbers with the units and digits that the CLI uses (src/report/humanize.cc), long times in the words of the
// language that is shown, as its catalogue has them (src/language).
import type { Cell, Unit } from "../data/report";
import { t } from "../text";

type Scale = readonly (readonly [factor: number, name: string])[];

const kTimes: Scale = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];
const kLongTimes: readonly (readonly [from: number, factor: number, name: "unit.d" | "unit.h" | "unit.min"])[] = [
  [72 * 3600e9, 24 * 3600e9, "unit.d"], [2 * 3600e9, 3600e9, "unit.h"], [600e9, 60e9, "unit.min"],
];

// Steps of an axis in ns that read well: 1, 2 or 5 of a unit, and whole parts of minutes, hours and days.
export const kTimeSteps: readonly number[] = [
  ...[1, 1e3, 1e6, 1e9].flatMap((unit) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((count) => count * unit)).filter((step) => step < 60e9),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * 60e9),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3600e9),
  ...[1, 10, 100, 1e3, 1e4].flatMap((unit) => [1, 2, 5].map((count) => count * unit * 86400e9)),
];

const kSizes: Scale = [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]];
const kOperations: Scale = [
  [1, "FLOP"], [1e3, "kFLOP"], [1e6, "MFLOP"], [1e9, "GFLOP"], [1e12, "TFLOP"], [1e15, "PFLOP"],
];

// `value` with so many decimals, halves to the even digit as C++ rounds them (toFixed rounds up).
export function fixed(value: number, decimals: number): string {
  const size = Math.abs(value);
  if (size >= 1e21) return BigInt(value).toString();
  const up = value.toFixed(decimals);
  const exact = size.toFixed(Math.min(100, decimals + 60));
  const rest = exact.slice(exact.indexOf(".") + 1 + decimals);
  if (!/^50*$/.test(rest)) return up;
  const floor = exact.slice(0, exact.indexOf(".") + (decimals > 0 ? 1 + decimals : 0));
  return Number(floor.at(-1)) % 2 === 0 ? (value < 0 ? `-${floor}` : floor) : up;
}

// A comma between every three digits before the decimal point.
function grouped(text: string): string {
  const point = text.indexOf(".");
  const whole = point < 0 ? text : text.slice(0, point);
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (point < 0 ? "" : text.slice(point));
}

function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size < 9.995) return fixed(value, 2);
  if (size < 99.95) return fixed(value, 1);
  return grouped(fixed(value, 0));
}

function scaled(value: number, scales: Scale): string {
  let at = 0;
  while (at + 1 < scales.length && Math.abs(value / scales[at]![0]) >= 999.5) ++at;
  const [factor, name] = scales[at]!;
  const whole = at === 0 && Number.isInteger(value);
  return `${whole ? fixed(value, 0) : threeDigits(value / factor)} ${name}`;
}

export function humanTime(ns: number): string {
  for (const [from, factor, name] of kLongTimes) {
    if (Math.abs(ns) >= from) return `${grouped(threeDigits(ns / factor).replaceAll(",", ""))} ${t(name)}`;
  }
  return scaled(ns, kTimes);
}

export function humanRatio(ratio: number): string {
  if (ratio > 0 && ratio < 0.0005) return "<0.1%";
  if (ratio < 0 && ratio > -0.0005) return ">-0.1%";
  return `${grouped(fixed(ratio * 100, Math.abs(ratio) < 10 ? 1 : 0))}%`;
}

// As C's %.2g prints what is small.
function twoDigits(value: number): string {
  const text = Number(value.toPrecision(2));
  if (text === 0) return "0";
  if (Math.abs(text) >= 1e-4) return String(text);
  return text.toExponential().replace(/e-(\d)$/, "e-0$1");
}

export function humanCount(count: number): string {
  if (Number.isInteger(count)) return grouped(fixed(count, 0));
  return Math.abs(count) < 0.01 ? twoDigits(count) : threeDigits(count);
}

export const humanBytes = (bytes: number): string => scaled(bytes, kSizes);

const kSecond = 1_000_000_000n;
const kEnd = 2n ** 63n;  // what a report's whole numbers fit into

// A moment, ns since the epoch, to the second it lies in.
function humanMoment(ns: bigint): string {
  const held = ns < -kEnd ? -kEnd : ns >= kEnd ? kEnd - 1n : ns;
  const second = held / kSecond - (held % kSecond < 0n ? 1n : 0n);
  return `${new Date(1000 * Number(second)).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function humanNumber(value: number, unit: Unit): string {
  switch (unit) {
    case "": return String(value);
    case "ns": return humanTime(value);
    case "ratio": return humanRatio(value);
    case "count": return humanCount(value);
    case "bytes": return humanBytes(value);
    case "bytes/s": return `${humanBytes(value)}/s`;
    case "FLOP": return scaled(value, kOperations);
    case "FLOP/s": return `${scaled(value, kOperations)}/s`;
    case "unix_ns": return humanMoment(BigInt(Math.floor(value)));
    case "ratio_difference": return `${humanRatio(value).slice(0, -1)} pp`;
  }
}

// Integers beyond 2^53 come as text (data/exact.ts): exact where they name something, a number where
// they measure.
export function numberOf(cell: Cell | undefined, unit: Unit): number | null {
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : null;
  if (typeof cell === "string" && unit !== "" && /^-?\d{16,}$/.test(cell)) return Number(cell);
  return null;
}

export function humanCell(cell: Cell | undefined, unit: Unit): string {
  if (cell === null || cell === undefined || cell === "") return "-";
  const number = numberOf(cell, unit);
  if (number !== null && unit === "unix_ns" && typeof cell === "string") return humanMoment(BigInt(cell));
  if (number !== null) return humanNumber(number + 0, unit);
  return typeof cell === "string" ? cell : "-";
}

// A control or bidirectional character of a stranger's text must not change how the page reads. What is printed over
// several lines, as shapes are, reads as one.
export function visible(text: string): string {
  return text.replace(/[ \t-\r\u0085\u2028\u2029]+/g, " ").replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, "\ufffd");
}

// A change beside a sign that says which way it goes: "46.6 µs" of "-46.6 µs", "<0.1%" of ">-0.1%".
export const unsigned = (text: string): string => text.replace(/^>-/, "<").replace(/^-/, "");

export const cellText = (cell: Cell | undefined, unit: Unit): string => visible(humanCell(cell, unit));
