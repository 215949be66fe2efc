// Says settings, which errors of the core name as fields in backticks, as somebody who looks at the page sets them.
import { t, type TextKey } from ".";

const kOptions: ReadonlyMap<string, string> = new Map([
  ["query_timeout", "stepscope serve --timeout"], ["query_memory", "stepscope serve --memory-limit"], ["trace_folders", "stepscope serve --traces"],
]);
const kOnPage: ReadonlyMap<string, TextKey> = new Map([["query_schema", "field.query_schema"], ["steps", "choice.steps"], ["ranks", "choice.ranks"]]);

// Fields of which the page knows nothing stay as they are.
export function withWords(text: string): string {
  return text.replace(/`(\w+)`/g, (whole, field: string) => {
    const key = kOnPage.get(field);
    return key !== undefined ? t(key) : kOptions.get(field) ?? whole;
  });
}
