// Links the names of other analyses in a report's texts to their pages, by title.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Report } from "../data/report";
import { hasJapanese, langOf } from "../data/words";
import { linkTo } from "../shell/url";
import { visible } from "./format";

export interface Mentioned {
  readonly reports: readonly Pick<Report, "analysis" | "title">[];
  readonly base: readonly string[];  // of the paths of their pages
}

// The analyses of the answer that is shown.
export const Mentions = createContext<Mentioned>({ reports: [], base: [] });

// What is a word of English too, as "steps", names an analysis only where it is said to be looked at or to say something.
// In a Japanese sentence a particle follows its name.
const kIds = /[a-z0-9]+(?:_[a-z0-9]+)+|(?<=\b[Ss]ee )[a-z]+|\b[a-z]+(?= (?:says|tells|shows)\b)/g;
const kIdsInJapanese = /[a-z0-9]+(?:_[a-z0-9]+)+|(?<![\w"'「『])[a-z]+(?= ?(?:[をがにはもやの、]|と(?!い)|で(?!き)))/g;

// Parts of something else: of a longer name, a path, a flag, a command to type.
const kWithin = /(?:[\w./=`,-]|--only )$/;
const kGoesOn = /^(?:[\w/`]|[.=]\w)/;

export function mentionsIn<Named extends { readonly analysis: string }>(text: string, reports: readonly Named[]): (string | Named)[] {
  const parts: (string | Named)[] = [];
  let from = 0;
  for (const { 0: id, index } of text.matchAll(hasJapanese(text) ? kIdsInJapanese : kIds)) {
    const report = reports.find(({ analysis }) => analysis === id);
    if (!report || kWithin.test(text.slice(0, index)) || kGoesOn.test(text.slice(index + id.length))) continue;
    if (index > from) parts.push(text.slice(from, index));
    parts.push(report);
    from = index + id.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

export function Says({ text }: { text: string }) {
  const { reports, base } = useContext(Mentions);
  return (
    <>
      {mentionsIn(text, reports).map((part, at) => (typeof part === "string"
        ? visible(part)
        : <a key={at} href={linkTo([...base, part.analysis])} lang={langOf(part.title)}>{visible(part.title)}</a>))}
    </>
  );
}
