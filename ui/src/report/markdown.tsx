// Renders the Markdown subset of analyses' explanations: paragraphs, lists, headings, fences, `code`, **bold** and
// [links](https://...). Produces text nodes, never HTML.
import type { ComponentChildren } from "preact";
import { hasJapanese, langOf } from "../data/words";

function inline(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) out.push(text.slice(from, match.index));
    const [whole, code, bold, title, href] = match;
    if (code !== undefined) out.push(<code>{code}</code>);
    else if (bold !== undefined) out.push(<strong>{bold}</strong>);
    else if (href && /^https?:\/\//.test(href)) out.push(<a href={href} rel="noreferrer">{title}</a>);
    else out.push(title ?? whole);
    from = match.index + whole.length;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

type Block =
  | { readonly kind: "fence" | "heading" | "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] };

// Lines of one paragraph. Japanese has no spaces between words, so that a line's end is none.
const joined = (lines: readonly string[]): string => lines.map((line) => line.trim()).reduce((text, line) => {
  const within = /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]$/.test(text) && hasJapanese(line[0] ?? "");
  return `${text}${within || text === "" ? "" : " "}${line}`;
}, "");

function blockOf(lines: readonly string[]): Block {
  const first = lines[0] ?? "";
  if (/^#{1,6} /.test(first)) return { kind: "heading", text: joined(lines).replace(/^#+ /, "") };
  if (!/^\s*[-*] /.test(first)) return { kind: "text", text: joined(lines) };
  const items: string[] = [];
  for (const line of lines) {
    if (/^\s*[-*] /.test(line)) items.push(line.replace(/^\s*[-*] /, ""));
    else items.push(joined([items.pop() ?? "", line]));
  }
  return { kind: "list", items };
}

export function blocksOf(source: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let fenced = false;
  const end = () => {
    if (lines.length > 0) blocks.push(fenced ? { kind: "fence", text: lines.join("\n") } : blockOf(lines));
    lines = [];
  };
  for (const line of source.split("\n")) {
    if (line.startsWith("```")) {
      end();
      fenced = !fenced;
    } else if (!fenced && line.trim() === "") {
      end();
    } else {
      lines.push(line);
    }
  }
  end();
  return blocks;
}

export function Markdown({ text }: { text: string }) {
  return (
    <div class="markdown" lang={langOf(text)}>
      {blocksOf(text).map((block, at) => {
        switch (block.kind) {
          case "fence": return <pre key={at}>{block.text}</pre>;
          case "heading": return <h3 key={at}>{inline(block.text)}</h3>;
          case "list": return <ul key={at}>{block.items.map((item) => <li key={item}>{inline(item)}</li>)}</ul>;
          case "text": return <p key={at}>{inline(block.text)}</p>;
        }
      })}
    </div>
  );
}
