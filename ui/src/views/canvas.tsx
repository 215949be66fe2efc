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
  describe(cursor: Cursor): string;
  enter?(cursor: Cursor): void;
}

const kSteps: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
  PageUp: [0, -10], PageDown: [0, 10], Home: [0, -1e9], End: [0, 1e9],
};

const clamp = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));

// The cell nearest to the cursor: a grid may have lost rows and columns since.
const within = (grid: Grid, { row, column }: Cursor): Cursor => ({ row: clamp(row, grid.rows), column: clamp(column, grid.columns) });

function cellAt(grid: Grid, element: HTMLElement, event: MouseEvent): Cursor | null {
  const box = element.getBoundingClientRect();
  const across = (event.clientX - box.left - grid.left) / (box.width - grid.left);
  const down = (event.clientY - box.top) / (grid.height - grid.bottom);
  if (across < 0 || across >= 1 || down < 0 || down >= 1) return null;
  return { row: Math.floor(down * grid.rows), column: Math.floor(across * grid.columns) };
}

export function CanvasGrid({ grid, label, hint }: { grid: Grid; label: string; hint: string }) {
  const [placed, setCursor] = useState<Cursor | null>(null);
  const cursor = useMemo(() => placed && within(grid, placed), [grid, placed]);
  const draw = useCallback<Draw>((context, width, _height, theme) => grid.draw(context, width, theme, cursor), [grid, cursor]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = kSteps[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      setCursor((now) => {  // which another key may have moved since it was drawn
        const from = now ?? { row: 0, column: step[1] === 0 ? 0 : -1 };
        return within(grid, { row: from.row + step[0], column: from.column + step[1] });
      });
    } else if (event.key === "Enter" && cursor && grid.enter) {
      event.preventDefault();
      grid.enter(cursor);
    }
  };
  return (
    <div class="canvas-grid">
      <Plot
        draw={draw} height={grid.height} tabIndex={0} role="img" aria-label={label}
        onKeyDown={onKeyDown}
        onMouseMove={(event) => setCursor(cellAt(grid, event.currentTarget, event))}
        onMouseLeave={() => setCursor(null)}
        onClick={(event) => {
          const cell = cellAt(grid, event.currentTarget, event);
          if (cell) grid.enter?.(cell);
        }}
      />
      <p class="readout" role="status">{cursor ? grid.describe(cursor) : hint}</p>
    </div>
  );
}
