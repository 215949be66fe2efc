// Shows notes: problems in the input and limits of the answer.
import type { Note } from "../data/report";
import { langOf } from "../data/words";
import { t } from "../text";
import { humanCount, visible } from "./format";
import { Says } from "./mentions";

export function Notes({ notes, title }: { notes: readonly Note[]; title: string }) {
  if (notes.length === 0) return null;
  return (
    <section aria-labelledby="notes-title">
      <h2 id="notes-title">{title}</h2>
      <ul class="notes">
        {notes.map((note, at) => (
          <li key={at}>
            {note.count > 1 && <b>{humanCount(note.count)} × </b>}<span lang={langOf(note.message)}><Says text={note.message} /></span>
            {note.where && <> <code>{visible(note.where)}</code></>}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function StatusLine({ status, why }: { status: "ok" | "partial" | "unavailable"; why: string }) {
  if (status === "ok") return null;
  return <p class={`status ${status}`}><b>{t(`status.${status}`)}</b> <span lang={langOf(why)}><Says text={why} /></span></p>;
}
