// Draws the goodput waterfall: from total time, bucket by bucket, to productive time.
import type { Kind } from "../data/report";
import { t } from "../text";
import { lookClass } from "./legend";
import { columnAt, kindOfRow, valueAt, type PictureProps } from "./parts";

interface Fall {
  readonly bucket: string;
  readonly kind: Kind;
  readonly message: string;
  readonly time: number;
  readonly text: string;
  readonly share: string;
}

function fallsOf({ table }: PictureProps): Fall[] {
  const [bucket, time, ratio, message] = ["bucket", "time", "ratio", "meaning"].map((key) => columnAt(table, key)) as [number, number, number, number];
  const falls = table.rows.flatMap((row): Fall[] => {
    const { number, text } = valueAt(table, row, time);
    if (number === null || number <= 0) return [];
    const wordAt = (at: number) => (row[at] ? valueAt(table, row, at).text : "");
    return [{ bucket: wordAt(bucket), kind: kindOfRow(table, row), message: wordAt(message), time: number, text, share: valueAt(table, row, ratio).text }];
  });
  const counts = (fall: Fall) => fall.kind === "productive";
  return [...falls.filter((fall) => !counts(fall)), ...falls.filter(counts)];
}

export function Waterfall(props: PictureProps) {
  const falls = fallsOf(props);
  const whole = falls.reduce((sum, fall) => sum + fall.time, 0);
  let left = whole;
  return (
    <figure class="bars">
      <figcaption>{t("waterfall.title")}</figcaption>
      <ul class="bar-list">
        {falls.map((fall) => {
          left -= fall.time;
          const place = { left: `${(100 * left) / whole}%`, width: `${(100 * fall.time) / whole}%` };
          const label = fall.message || fall.bucket;
          return (
            <li key={fall.bucket}>
              <span class="bar-label" title={fall.bucket}>{label}</span>
              <span class="bar fall" role="img" aria-label={`${label}: ${fall.text}, ${fall.share}`}>
                <span class={`part ${lookClass(fall.kind)}`} style={place} title={`${fall.bucket}: ${fall.text}`} />
              </span>
              <span class="bar-value">{fall.text} ({fall.share})</span>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}
