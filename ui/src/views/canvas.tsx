// Draws a canvas with a cursor. Pointer and arrow keys move the cursor over cells; the text below
// describes the cell.
import { useCallback, useMemo, useState } from "preact/hooks";
import type { Theme } from "../shell/theme";
import { Plot, type Draw } from "./plot";

export interface Cursor {
  readonly row: number;
  readonly column: number;
}

export interface Grid {
  readonly rows: number;
  readonly columns: number;
  readonly height: number;  // CSS pixels
  readonly left: number;    // room for labels
  readonly bottom: number;
  draw(context: CanvasRenderingContext2D, width: number, theme: Theme, cursor: Cursor | null): void;
  readonly view?: RowView;  // the rows that are drawn; all, where it has none
  // Where the grid does not draw the cursor itself, a frame around its cell is laid over it: nothing is drawn again while it moves.
  readonly framed?: boolean;
  describe(cursor: Cursor): string;
  enter?(cursor: Cursor): void;
  look?(view: RowView): void;  // draws other rows from now on
}

// Rows from `from` to before `to`.
export interface RowView {
  readonly from: number;
  readonly to: number;
}

const kLeastRows = 8;
const kZoom = 1.5;

export const viewOf = ({ view, rows }: Pick<Grid, "view" | "rows">): RowView => view ?? { from: 0, to: rows };

// So many rows, as near to these as there are.
function fitted(from: number, count: number, rows: number): RowView {
  const size = Math.round(Math.max(Math.min(kLeastRows, rows), Math.min(rows, count))), first = Math.round(Math.max(0, Math.min(rows - size, from)));
  return { from: first, to: first + size };
}

// Fewer rows (`times` below 1) or more, with this one where it is.
export function zoomed({ from, to }: RowView, row: number, times: number, rows: number): RowView {
  const count = (to - from) * times, share = (row - from) / (to - from);
  return fitted(row - share * Math.max(Math.min(kLeastRows, rows), Math.min(rows, count)), count, rows);
}

export const moved = ({ from, to }: RowView, by: number, rows: number): RowView => fitted(from + by, to - from, rows);

// The view moved as little as shows the row.
export function showing(view: RowView, row: number, rows: number): RowView {
  if (row < view.from) return moved(view, row - view.from, rows);
  return row >= view.to ? moved(view, row - view.to + 1, rows) : view;
}

const kFar = 1e9;
const kSteps: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
  Home: [0, -kFar], End: [0, kFar], "ctrl+Home": [-kFar, 0], "ctrl+End": [kFar, 0],
};

const kPage = 10, kLeastPage = 9;  // parts of the rows that are seen; rows

// How far a key moves the cursor; undefined: it does not. By pages through rows; where there is one, through its columns.
export function stepOf(key: string, { from, to }: RowView, rows: number): readonly [row: number, column: number] | undefined {
  const sign = key === "PageUp" ? -1 : key === "PageDown" ? 1 : 0;
  if (sign === 0) return kSteps[key];
  return rows === 1 ? [0, sign * kPage] : [sign * Math.max(kLeastPage, Math.round((to - from) / kPage)), 0];
}

const kZooms: Readonly<Record<string, number>> = { "+": 1 / kZoom, "=": 1 / kZoom, "-": kZoom, "0": Infinity };

const clamp = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));

// The cell nearest to the cursor: a grid may have lost rows and columns since.
const within = (grid: Grid, { row, column }: Cursor): Cursor => ({ row: clamp(row, grid.rows), column: clamp(column, grid.columns) });

function cellAt(grid: Grid, element: HTMLElement, event: MouseEvent): Cursor | null {
  const box = element.getBoundingClientRect();
  const across = (event.clientX - box.left - grid.left) / (box.width - grid.left);
  const down = (event.clientY - box.top) / (grid.height - grid.bottom);
  if (across < 0 || across >= 1 || down < 0 || down >= 1) return null;
  const { from, to } = viewOf(grid);
  return { row: from + Math.floor(down * (to - from)), column: Math.floor(across * grid.columns) };
}

function CellFrame({ grid, cursor }: { grid: Grid; cursor: Cursor }) {
  const { from, to } = viewOf(grid), high = (grid.height - grid.bottom) / (to - from), room = `(100% - ${grid.left}px)`;
  if (cursor.row < from || cursor.row >= to) return null;
  return (
    <div
      class="cell-frame" aria-hidden="true"
      style={{ left: `calc(${grid.left}px + ${room} * ${cursor.column / grid.columns})`, width: `max(2px, calc(${room} / ${grid.columns}))`, top: `${(cursor.row - from) * high}px`, height: `${Math.max(2, high)}px` }}
    />
  );
}

export function CanvasGrid({ grid, label, hint }: { grid: Grid; label: string; hint: string }) {
  const [placed, setCursor] = useState<Cursor | null>(null);
  const cursor = useMemo(() => placed && within(grid, placed), [grid, placed]);
  const drawn = grid.framed ? null : cursor;
  const draw = useCallback<Draw>((context, width, _height, theme) => grid.draw(context, width, theme, drawn), [grid, drawn]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return;
    const step = stepOf(`${event.ctrlKey ? "ctrl+" : ""}${event.key}`, viewOf(grid), grid.rows);
    if (event.ctrlKey && !step) return;
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      setCursor((now) => {  // which another key may have moved since it was drawn
        const from = now ?? { row: viewOf(grid).from, column: step[1] === 0 ? 0 : -1 };
        const next = within(grid, { row: from.row + step[0], column: from.column + step[1] });
        grid.look?.(showing(viewOf(grid), next.row, grid.rows));
        return next;
      });
    } else if (grid.look && kZooms[event.key] !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      const view = viewOf(grid);
      grid.look(zoomed(view, cursor?.row ?? (view.from + view.to) / 2, kZooms[event.key]!, grid.rows));
    } else if (event.key === "Enter" && cursor && grid.enter) {
      event.preventDefault();
      grid.enter(cursor);
    }
  };
  // With ctrl it zooms; without, it moves what is zoomed in, and the page at its ends.
  const onWheel = (event: WheelEvent) => {
    if (!grid.look) return;
    const view = viewOf(grid), cell = cellAt(grid, event.currentTarget as HTMLElement, event);
    const next = event.ctrlKey ? zoomed(view, cell?.row ?? view.from, event.deltaY < 0 ? 1 / kZoom : kZoom, grid.rows) : moved(view, Math.sign(event.deltaY) * Math.max(1, (view.to - view.from) / 10), grid.rows);
    if (event.ctrlKey || next.from !== view.from) event.preventDefault();
    if (next.from !== view.from || next.to !== view.to) grid.look(next);
  };
  return (
    <div class="canvas-grid">
      <div class="cells">
      <Plot
        draw={draw} height={grid.height} tabIndex={0} role="img" aria-label={label}
        onKeyDown={onKeyDown} onWheel={onWheel}
        onMouseMove={(event) => setCursor(cellAt(grid, event.currentTarget, event))}
        onMouseLeave={() => setCursor(null)}
        onClick={(event) => {
          const cell = cellAt(grid, event.currentTarget, event);
          if (cell) grid.enter?.(cell);
        }}
      />
      {grid.framed && cursor && <CellFrame grid={grid} cursor={cursor} />}
      </div>
      <p class="readout" role="status">{cursor ? grid.describe(cursor) : hint}</p>
    </div>
  );
}
