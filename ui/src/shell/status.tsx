// Shows errors, loading progress, and messages about missing data.
import type { Problem, Run } from "../data/source";
import { langOf } from "../data/words";
import { humanBytes, humanCount, visible } from "../report/format";
import { t } from "../text";
import { withWords } from "../text/fields";

// A path, an option, or an address with all that was asked: who reads it needs its beginning.
const clipped = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

export function ProblemPanel({ problem }: { problem: Problem }) {
  const what = problem.what === "network" ? t("error.network") : problem.what;
  const hint = problem.what === "network" ? t("error.network_hint") : problem.hint;
  return (
    <div class="panel problem" role="alert">
      <h2><span aria-hidden="true">▲ </span>{t("error.title")}</h2>
      <dl class="facts">
        <dt>{t("error.what")}</dt><dd lang={langOf(what)}>{visible(what)}</dd>
        {problem.where && <><dt>{t("error.where")}</dt><dd><code>{clipped(visible(withWords(problem.where)))}</code></dd></>}
        {hint && <><dt>{t("error.hint")}</dt><dd lang={langOf(hint)}>{visible(withWords(hint))}</dd></>}
      </dl>
    </div>
  );
}

export function LoadingPanel({ run }: { run: Run }) {
  const { bytes_done, bytes_total, files_done, files_total } = run.progress;
  return (
    <div class="panel loading">
      <h2 id="loading-title">{t("loading.title", { name: visible(run.name) })}</h2>
      <progress aria-labelledby="loading-title" max={Math.max(1, bytes_total)} value={bytes_done} />
      <p role="status">
        {t("loading.progress", {
          files: humanCount(files_done), of_files: humanCount(files_total),
          bytes: humanBytes(bytes_done), of_bytes: humanBytes(bytes_total),
        })}
      </p>
    </div>
  );
}

export function Busy({ message }: { message?: string }) {
  return <p class="busy" role="status">{message ?? t("loading.short")}</p>;
}
