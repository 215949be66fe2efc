// Lists the tables that SQL can name, with their columns: those of reports as the answer has them, those of events as the server
// describes them when one is opened.
import { useState } from "preact/hooks";
import type { ReportSet } from "../data/report";
import type { Run, Source } from "../data/source";
import { visible } from "../report/format";
import { useLoad } from "../shell/load";
import { hasTimeline } from "../shell/served";
import { Busy } from "../shell/status";
import { t } from "../text";

const kOfEvents = ["events", "kernels", "operators", "collectives"];
const kOfRuns = ["steps", "findings", "notes", "runs", "files", "traces"];

interface Named {
  readonly name: string;
  readonly about: string;  // its unit or type
}

function Columns({ columns, insert }: { columns: readonly Named[]; insert: (name: string) => void }) {
  return (
    <ul>
      {columns.map(({ name, about }) => <li key={name}><button type="button" class="quiet" onClick={() => insert(name === "end" ? "\"end\"" : name)}>{visible(name)}</button> <span class="faint">{about}</span></li>)}
    </ul>
  );
}

function Described({ source, run, client, name, insert }: { source: Source; run: Run; client: string; name: string; insert: (name: string) => void }) {
  const loaded = useLoad(`describe ${run.id} ${run.revision ?? 0} ${name}`, "", (signal) => source.query([run.id], `DESCRIBE ${name}`, `${client} ${name}`, {}, signal));
  if (loaded.problem) return <p class="faint">{visible(loaded.problem.what)}</p>;
  if (!loaded.value) return <Busy />;
  return <Columns columns={loaded.value.rows.map(([column, type]) => ({ name: String(column), about: String(type) }))} insert={insert} />;
}

export function QueryTables({ source, run, client, answer, insert }: {
  source: Source; run: Run; client: string; answer: ReportSet | undefined; insert: (name: string) => void;
}) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggled = (name: string) => (event: Event) => { if ((event.currentTarget as HTMLDetailsElement).open) setOpen(new Set([...open, name])); };
  const ofReports = (answer?.reports ?? []).flatMap(({ analysis, tables }) => tables.map((table) => ({ name: `${analysis}.${table.key}`, columns: table.columns })));
  return (
    <aside class="query-tables" aria-labelledby="query-tables-title">
      <h2 id="query-tables-title">{t("query.tables")}</h2>
      {[...(hasTimeline(source, run) ? kOfEvents : []), ...kOfRuns].map((name) => (
        <details key={name} onToggle={toggled(name)}>
          <summary>{name}</summary>
          <button type="button" class="quiet" onClick={() => insert(name)}>{t("query.insert", { name })}</button>
          {open.has(name) && <Described source={source} run={run} client={client} name={name} insert={insert} />}
        </details>
      ))}
      {ofReports.map(({ name, columns }) => (
        <details key={name}>
          <summary>{name}</summary>
          <button type="button" class="quiet" onClick={() => insert(name)}>{t("query.insert", { name })}</button>
          <Columns columns={columns.map(({ key, unit }) => ({ name: key, about: unit }))} insert={insert} />
        </details>
      ))}
    </aside>
  );
}
