// Explains colors and patterns.
import type { Kind } from "../data/report";
import { kLooks } from "../shell/palette";

export const lookClass = (kind: Kind): string => `k-${kind} p-${kLooks[kind].pattern}`;

export interface LegendEntry {
  readonly kind: Kind;
  readonly title: string;
}

export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul class="legend">
      {entries.map(({ kind, title }) => (
        <li key={title}><span class={`swatch ${lookClass(kind)}`} aria-hidden="true" /> {title}</li>
      ))}
    </ul>
  );
}
