// Opens trace files that are dropped on the page, or chosen: sends them to the server part by part, and shows the run they are.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Source } from "../data/source";
import { humanRatio, visible } from "../report/format";
import { t } from "../text";
import { useCommands } from "./commands";
import { problemOf } from "./load";
import { ProblemPanel } from "./status";
import { goTo } from "./url";

const kPart = 8 * 2 ** 20;  // bytes

// The files of folders, too, as deep as they are.
async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader(), all: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    for (const one of some) all.push(...await filesOf(one));
  }
}

async function dropped(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return entries.length > 0 ? (await Promise.all(entries.map(filesOf))).flat() : [...data.files];
}

// Sends all of them as one drop; the id of the run they are.
export async function sendFiles(source: Source, files: readonly File[], progress: (share: number) => void): Promise<string> {
  const drop = Date.now() * 1000 + Math.floor(Math.random() * 1000), all = Math.max(1, files.reduce((sum, { size }) => sum + size, 0));
  let sent = 0;
  for (const file of files) {
    for (let at = 0; at < file.size || at === 0; at += kPart) {
      const part = file.slice(at, at + kPart);
      await source.send({ drop, name: file.name, at }, part);
      progress((sent += part.size) / all);
    }
  }
  return source.sent(drop);
}

type Doing = { readonly what: "over" } | { readonly what: "sending"; readonly files: number; readonly share: number } | { readonly what: "failed"; readonly problem: unknown };

// `takes`: the server does.
// `look`: asks the server again which runs there are.
export function Drop({ source, takes, look }: { source: Source; takes: boolean; look: () => Promise<void> }) {
  const [doing, setDoing] = useState<Doing | null>(null), input = useRef<HTMLInputElement>(null);
  const open = async (files: readonly File[]) => {
    if (files.length === 0) return setDoing(null);
    try {
      setDoing({ what: "sending", files: files.length, share: 0 });
      const run = await sendFiles(source, files, (share) => setDoing({ what: "sending", files: files.length, share }));
      await look();
      setDoing(null);
      goTo(["run", run, "timeline"], { steps: "", ranks: "", with: "" });
    } catch (problem) {
      setDoing({ what: "failed", problem });
    }
  };
  useCommands(() => (takes ? [{ id: "go.open", keys: ["g f"], title: "command.open_files", group: "go", run: () => input.current?.click() }] : []), [takes]);
  useEffect(() => {
    if (!takes) return;
    const stop = new AbortController(), hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") ?? false;
    const on = (type: "dragover" | "dragleave" | "drop", act: (event: DragEvent) => void) =>
      addEventListener(type, (event) => { if (hasFiles(event)) act(event); }, { signal: stop.signal });
    on("dragover", (event) => {
      event.preventDefault();
      setDoing((now) => (now?.what === "sending" ? now : { what: "over" }));
    });
    on("dragleave", (event) => { if (!event.relatedTarget) setDoing((now) => (now?.what === "over" ? null : now)); });
    on("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer) void dropped(event.dataTransfer).then(open);
    });
    return () => stop.abort();
  }, [takes]);
  if (!takes) return null;
  return (
    <>
      <input
        ref={input} type="file" multiple hidden id="open-files" aria-label={t("command.open_files")}
        onChange={({ currentTarget }) => { void open([...(currentTarget.files ?? [])]); currentTarget.value = ""; }}
      />
      {doing && (
        <div class="drop" role="status">
          {doing.what === "over" && <p>{t("drop.over")}</p>}
          {doing.what === "sending" && <p>{t("drop.sending", { files: doing.files, share: humanRatio(doing.share) })} <progress value={doing.share} aria-label={t("drop.progress")} /></p>}
          {doing.what === "failed" && <ProblemPanel problem={problemOf(doing.problem, visible("api/files"))} />}
          {doing.what === "failed" && <button type="button" onClick={() => setDoing(null)}>{t("timeline.close")}</button>}
        </div>
      )}
    </>
  );
}
