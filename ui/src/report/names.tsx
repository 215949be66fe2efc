// Shows names as people read them: without what all kernels have, and cut in the middle where there is no room, so that
// different ones stay different.
import type { Cell } from "../data/report";
import { shortName } from "../data/short_names";
import { shownIn, type ColumnOfCell } from "../data/words";
import { cellText, visible } from "./format";

// A cell in the language that is shown, with the full name.
export const fullCell = (column: ColumnOfCell, cell: Cell | undefined): string => cellText(shownIn(column, cell), column.unit);

// The same as people read it, with a shorter name.
export function shownCell(column: ColumnOfCell, cell: Cell | undefined): string {
  const shown = shownIn(column, cell);
  return cellText(typeof shown === "string" && column.unit === "" ? shortName(shown) : shown, column.unit);
}

const kWhole = 24;  // characters that are not cut
const kTail = 14;

// At most so many characters, for where nothing else can be shown, such as a choice.
export function cutInMiddle(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const tail = Math.floor(most / 3);
  return `${letters.slice(0, most - tail - 1).join("")}…${letters.slice(-tail).join("")}`;
}

// How many characters at its end stay whole: neither part of a name has a space at the cut, which readers would lose.
function tailOf(letters: readonly string[]): number {
  let tail = kTail;
  while (tail < letters.length && (letters.at(-tail) === " " || letters.at(-tail - 1) === " ")) ++tail;
  return tail;
}

// What does not fit is left out before the last characters. All of it is in the document.
export function Name({ text }: { text: string }) {
  const shown = visible(text), letters = [...shown];
  if (letters.length <= kWhole) return <>{shown}</>;
  const tail = tailOf(letters);
  return (
    <span class="name">
      <span class="name-head">{letters.slice(0, -tail).join("")}</span><span class="name-tail">{letters.slice(-tail).join("")}</span>
    </span>
  );
}
