// Shows a table of up to 100,000 rows: sorted, filtered, paged, saved as CSV. The URL holds order, filter and page under the
// table's key.
import { Fragment, type ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Cell, Column, Table } from "../data/report";
import { langOf } from "../data/words";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { csvOf, saveText } from "./csv";
import { DrawnExports } from "./exports";
import { humanCount, visible } from "./format";
import { kChange, RowInTimeline } from "./in_timeline";
import { fullCell, Name, shownCell } from "./names";
import { ScrollBox } from "./scroll";
import { chosenRows, formatOrder, informing, isNumeric, nextOrder, parseOrder, type Order } from "./rows";

// What a row has beside its cells: where its key leads, and a picture behind it.
export interface Beside {
  readonly title: string;
  href(row: readonly Cell[]): string;
  picture(row: readonly Cell[]): ComponentChildren;
}

const kPage = 50;
const kLong = 60;  // characters of a text before it is cut to its cell

function Heading({ column, numeric, order, onOrder }: {
  column: Column; numeric: boolean; order: Order | null; onOrder: (order: Order | null) => void;
}) {
  const sorted = order?.column === column.key ? (order.down ? "descending" : "ascending") : "none";
  const sign = sorted === "none" ? "" : sorted === "descending" ? " ▼" : " ▲";
  return (
    <th scope="col" aria-sort={sorted} class={numeric ? "number" : ""} lang={langOf(column.title)}>
      <button type="button" onClick={() => onOrder(nextOrder(order, column, numeric))} title={`${column.key}${column.unit ? ` (${column.unit})` : ""}`}>
        {visible(column.title)}<span aria-hidden="true">{sign}</span>
      </button>
    </th>
  );
}

type Act = (row: readonly Cell[]) => ComponentChildren;

function Row({ table, index, columns, numeric, name, beside, act }: {
  table: Table; index: number; columns: readonly number[]; numeric: readonly boolean[]; name: string; beside: Beside | undefined; act: Act | undefined;
}) {
  const row = table.rows[index]!;
  return (
    <tr>
      {columns.map((at, place) => {
        const column = table.columns[at]!;
        const text = shownCell(column, row[at]), full = fullCell(column, row[at]);
        const wraps = column.key === kChange, long = !wraps && text.length > kLong;
        const props = {
          class: numeric[at] ? "number" : long ? "text long" : wraps ? "text wraps" : "text",
          ...((long || text !== full) && { title: full }),
          ...(typeof row[at] === "number" && { "data-value": String(row[at]) }),
        };
        const says = long ? <Name text={text} /> : text;
        if (place > 0) return <td key={at} {...props}>{says}</td>;
        const First = column.role === "key" ? "th" : "td";
        return (
          <Fragment key={at}>
            <First {...(column.role === "key" && { scope: "row" })} {...props}>
              {beside ? <a href={beside.href(row)}>{says}</a> : says}{act ? act(row) : <RowInTimeline table={table} row={row} analysis={name} />}
            </First>
            {beside && <td>{beside.picture(row)}</td>}
          </Fragment>
        );
      })}
    </tr>
  );
}

function Pager({ page, pages, onPage, title }: { page: number; pages: number; onPage: (page: number) => void; title: string }) {
  if (pages <= 1) return null;
  return (
    <div class="pager" role="group" aria-label={t("table.pages", { title })}>
      <button type="button" disabled={page <= 0} onClick={() => onPage(0)} aria-label={t("table.first")}>«</button>
      <button type="button" disabled={page <= 0} onClick={() => onPage(page - 1)} aria-label={t("table.previous")}>‹</button>
      <span role="status">{t("table.page", { page: humanCount(page + 1), pages: humanCount(pages) })}</span>
      <button type="button" disabled={page >= pages - 1} onClick={() => onPage(page + 1)} aria-label={t("table.next")}>›</button>
      <button type="button" disabled={page >= pages - 1} onClick={() => onPage(pages - 1)} aria-label={t("table.last")}>»</button>
    </div>
  );
}

// `act`: what stands behind a row's first cell, in place of the link to the timeline. `whole`: columns that tell nothing, too.
export function DataTable({ table, name, level = 3, beside, act, whole = false }: {
  table: Table; name: string; level?: 2 | 3; beside?: Beside; act?: Act | undefined; whole?: boolean;
}) {
  const [filter, setFilter] = useUrlState(`find.${table.key}`, "");
  const [orderText, setOrder] = useUrlState(`sort.${table.key}`, "");
  const [pageText, setPage] = useUrlState(`page.${table.key}`, "1");
  const order = parseOrder(orderText);
  const rows = useMemo(() => chosenRows(table, filter, order), [table, filter, orderText]);
  const numeric = useMemo(() => table.columns.map((_, at) => isNumeric(table, at)), [table]);
  const columns = useMemo(() => (whole ? table.columns.map((_, at) => at) : informing(table, order)), [table, orderText, whole]);
  const pages = Math.max(1, Math.ceil(rows.length / kPage));
  const page = Math.min(pages, Math.max(1, Number.parseInt(pageText, 10) || 1)) - 1;
  const title = visible(table.title);
  const Title = level === 2 ? "h2" : "h3";
  const id = `table-${table.key}`;
  const section = useRef<HTMLElement>(null);
  const save = () => saveText(`${name}.${table.key}.csv`, csvOf({ columns: table.columns, rows: rows.map((row) => table.rows[row]!) }), "text/csv;charset=utf-8");
  return (
    <section class="table" id={id} ref={section} aria-labelledby={`${id}-title`}>
      <div class="table-head">
        <Title id={`${id}-title`} lang={langOf(title)}>{title}</Title>
        <span class="faint" role="status">
          {table.all !== undefined && !filter ? t("table.cut", { rows: humanCount(rows.length), all: humanCount(table.all) }) : filter ? t("table.rows_of", { rows: humanCount(rows.length), all: humanCount(table.rows.length) }) : rows.length === 1 ? t("table.one_row") : t("table.rows", { rows: humanCount(rows.length) })}
        </span>
        {table.rows.length > 8 && (
          <input
            type="search" class="filter" value={filter} placeholder={t("table.filter")} aria-label={t("table.filter_of", { title })} spellcheck={false}
            onInput={(event) => { setPage("1", "replace"); setFilter(event.currentTarget.value, "replace"); }}
          />
        )}
        {table.rows.length > 0 && (
          <span class="exports">
            <DrawnExports name={`${name}.${table.key}`} title={title} of={() => section.current} />
            <button type="button" class="save" onClick={save} aria-label={t("table.save_of", { title })}>CSV</button>
          </span>
        )}
        <Pager page={page} pages={pages} onPage={(next) => setPage(String(next + 1), "replace")} title={title} />
      </div>
      {table.rows.length === 0 ? <p class="faint">{t("table.empty")}</p> : (
        <ScrollBox labelledBy={`${id}-title`}>
          <table>
            <thead>
              <tr>
                {columns.map((at, place) => (
                  <Fragment key={at}>
                    <Heading column={table.columns[at]!} numeric={numeric[at] ?? false} order={order} onOrder={(next) => { setPage("1", "replace"); setOrder(formatOrder(next)); }} />
                    {beside && place === 0 && <th scope="col"><span class="unsorted">{beside.title}</span></th>}
                  </Fragment>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(page * kPage, (page + 1) * kPage).map((index) => <Row key={index} table={table} index={index} columns={columns} numeric={numeric} name={name} beside={beside} act={act} />)}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}
