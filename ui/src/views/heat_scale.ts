// Declares what a heat map shows, and its scale: from the least value to the most, but for steps that means leave out.
import { kRamp } from "../shell/palette";
import type { Theme } from "../shell/theme";
import type { Cell } from "../data/report";

export interface HeatData {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly values: Float64Array;  // row after row; NaN: not known
  readonly ranks?: readonly Cell[];    // of each row, where rows are of ranks
  readonly devices?: readonly Cell[];  // the same
  readonly aside?: Uint8Array;  // 1: of a step that means leave out, which no scale is stretched for
  readonly low: number;   // of the values, without those
  readonly high: number;
  readonly alike: boolean;
  readonly marked?: number;  // the row that a finding names
  readonly tall?: number;    // or the first of so many, the devices of a rank
  readonly name?: string;    // the rank
  readonly since?: number;   // the column from which on it does
  readonly steps?: readonly number[];  // the columns that it names; of the row, if it names one
  readonly cells?: readonly (readonly [row: number, column: number])[];  // instead: rows that it names, each in its own columns
  readonly inTurn?: boolean;  // these rows have them in turn
}

const kNoise = 0.01;

// From the least to the most there is, but for what is `aside`, if not all is. What differs by less than a hundredth is noise, and must not look like a
// difference: then all values are alike.
export function scaleOf(values: Float64Array, aside?: Uint8Array): Pick<HeatData, "low" | "high" | "alike"> {
  let low = Infinity;
  let high = -Infinity;
  values.forEach((value, at) => {
    if (aside?.[at]) return;
    if (value < low) low = value;
    if (value > high) high = value;
  });
  if (low > high) return aside ? scaleOf(values) : { low: 0, high: 1, alike: false };
  return { low, high, alike: high - low <= kNoise * Math.max(Math.abs(low), Math.abs(high)) };
}

const kAlike = 0.12;  // of the ramp: quiet, for there is nothing to see

// What is beyond the scale has the color of its end.
export const shareOf = ({ low, high, alike }: Pick<HeatData, "low" | "high" | "alike">, value: number): number =>
  (alike ? (value > high + kNoise * Math.abs(high) ? 1 : kAlike) : Math.max(0, Math.min(1, (value - low) / (high - low))));

export function channels(color: string): [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function shade(share: number, theme: Theme): string {
  const [from, to] = kRamp[theme].map(channels) as [[number, number, number], [number, number, number]];
  const part = Math.max(0, Math.min(1, share));
  return `rgb(${from.map((channel, at) => Math.round(channel + (to[at]! - channel) * part)).join(",")})`;
}
