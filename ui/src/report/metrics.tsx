// Shows a report's metrics as tiles.
import type { Metric } from "../data/report";
import { langOf } from "../data/words";
import { t } from "../text";
import { visible } from "./format";
import { fullCell } from "./names";

export function Metrics({ metrics }: { metrics: readonly Metric[] }) {
  const known = metrics.filter((metric) => metric.value !== null && metric.value !== "");
  if (known.length === 0) return null;
  return (
    <dl class="metrics" aria-label={t("report.metrics")}>
      {known.map((metric) => {
        const text = fullCell({ key: "", unit: metric.unit }, metric.value);
        return (
          <div key={metric.key} class={text.length > 24 ? "metric long" : "metric"} title={metric.key}>
            <dt lang={langOf(metric.title)}>{visible(metric.title)}</dt>
            <dd data-metric={metric.key} data-value={String(metric.value)}>{text}</dd>
          </div>
        );
      })}
    </dl>
  );
}
