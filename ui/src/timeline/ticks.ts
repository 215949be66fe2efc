// Computes the marks of the time axis and formats times as precisely as the view can show.
import { t } from "../text";

const kSteps = [1, 2, 5];

// The shortest step of 1, 2 or 5 times a power of ten, one ns at least, of which `span` ns hold at most
// `most`.
export function tickStep(span: number, most: number): number {
  const least = span / Math.max(1, most);
  if (!(least > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return (kSteps.find((step) => step * power >= least) ?? 10) * power;
}

// The multiples of `step` within from..to. Made from whole numbers, so that no error adds up.
export function ticks(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step), last = Math.floor(to / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
}

interface TimeUnit { readonly ns: number; readonly name: string }

const kUnits: readonly TimeUnit[] = [
  { ns: 1, name: "ns" }, { ns: 1e3, name: "µs" }, { ns: 1e6, name: "ms" }, { ns: 1e9, name: "s" },
];

const kMinute = 60e9, kHour = 3600e9, kDay = 86400e9;

const unitOf = (ns: number): TimeUnit =>
  [...kUnits].reverse().find((unit) => Math.abs(ns) >= unit.ns) ?? kUnits[0]!;

// How many decimals `unit` needs to tell apart times `step` ns from one another.
const decimals = (unit: TimeUnit, step: number): number =>
  Math.max(0, Math.ceil(Math.log10(unit.ns / Math.max(1, step)) - 1e-9));

// A point in time, told apart from others `step` ns away: "1.5 ms", "2:03:04.05".
export function formatTime(ns: number, step: number): string {
  if (Math.abs(ns) >= kMinute) return formatClock(ns, step);
  const unit = unitOf(ns);
  return `${(ns / unit.ns).toFixed(decimals(unit, step))} ${unit.name}`;
}

function formatClock(ns: number, step: number): string {
  const places = decimals(kUnits[3]!, step);
  const shown = 10 ** (9 - places);  // rounded first, or 59.96 s became "60.0"
  const size = Math.round(Math.abs(ns) / shown) * shown;
  const days = Math.floor(size / kDay);
  const hours = Math.floor((size % kDay) / kHour);
  const minutes = Math.floor((size % kHour) / kMinute);
  const seconds = ((size % kMinute) / 1e9).toFixed(places).padStart(places > 0 ? places + 3 : 2, "0");
  const withHours = hours > 0 || days > 0;
  const clock = withHours ? `${hours}:${String(minutes).padStart(2, "0")}` : String(minutes);
  return `${ns < 0 ? "-" : ""}${days > 0 ? `${days} ${t("unit.d")} ` : ""}${clock}:${seconds}`;
}

// Where something begins that lasts `length` ns: to a thousandth of it, so that neighbors begin at other times.
export const startText = (ns: number, length: number): string => formatTime(ns, length / 1000);

// A duration with four digits: "12.35 µs". Below a microsecond it is whole.
export function formatDuration(ns: number): string {
  const size = Math.abs(ns);
  if (size >= kMinute) return formatClock(ns, 1e9);
  const unit = unitOf(ns);
  if (unit.ns === 1) return `${Math.round(ns * 100) / 100} ns`;
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size / unit.ns)));
  return `${(ns / unit.ns).toFixed(digits)} ${unit.name}`;
}
