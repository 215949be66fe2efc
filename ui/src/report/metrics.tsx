// Shows a report's metrics as tiles.
import type { Metric } from "../data/report";
import { t } from "../text";
import { cellText, visible } from "./format";

export function Metrics({ metrics }: { metrics: readonly Metric[] }) {
  const known = metrics.filter((metric) => metric.value !== null && metric.value !== "");
  if (known.length === 0) return null;
  return (
    <dl class="metrics" aria-label={t("report.metrics")} lang="en">
      {known.map((metric) => {
        const text = cellText(metric.value, metric.unit);
        return (
          <div key={metric.key} class={text.length > 24 ? "metric long" : "metric"} title={metric.key}>
            <dt>{visible(metric.title)}</dt>
            <dd data-metric={metric.key} data-value={String(metric.value)}>{text}</dd>
          </div>
        );
      })}
    </dl>
  );
}
