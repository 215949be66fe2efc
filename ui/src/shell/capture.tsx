// Captures from running jobs: asks who to capture and how long, shows how far it is, and opens the run that comes of it.
import { useEffect, useState } from "preact/hooks";
import type { Capture, CaptureAsk, Problem, Source } from "../data/source";
import { langOf } from "../data/words";
import { visible } from "../report/format";
import { DataTable } from "../report/table";
import { t } from "../text";
import { useCommands } from "./commands";
import { Dialog } from "./dialog";
import { problemOf } from "./load";
import { ProblemPanel } from "./status";
import { goTo } from "./url";

const kEvery = 500;  // ms between two looks at a capture

// The capture that runs or was the last, looked at again and again until it is done.
function useCapture(source: Source, open: boolean, onRun: (capture: Capture) => Promise<void>) {
  const [capture, setCapture] = useState<Capture | null>(null), [problem, setProblem] = useState<Problem | null>(null);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (!open) return;
    const stop = new AbortController();
    const look = async () => {
      for (;;) {
        const now = await source.captured(stop.signal);
        if (stop.signal.aborted) return;
        setCapture(now);
        if (!now || now.done) {
          if (now?.run && asked === now.number) await onRun(now);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, kEvery));
      }
    };
    look().catch((error) => { if (!stop.signal.aborted) setProblem(problemOf(error, "api/captures")); });
    return () => stop.abort();
  }, [open, asked]);
  const start = (ask: CaptureAsk) => {
    setProblem(null);
    source.capture(ask).then(setAsked, (error) => setProblem(problemOf(error, "api/capture")));
  };
  return { capture, problem, start };
}

function Outcome({ capture }: { capture: Capture }) {
  const report = capture.answer?.reports[0];
  if (capture.error) return <ProblemPanel problem={capture.error} />;
  if (!report) return null;
  return (
    <>
      <p class="headline" lang={langOf(capture.answer!.verdict)}>{visible(capture.answer!.verdict)}</p>
      {report.tables.map((table) => <DataTable key={table.key} table={table} name={report.analysis} />)}
      {report.notes.map((note) => <p key={note.name}>{visible(note.message)}</p>)}
    </>
  );
}

function Running({ capture, source }: { capture: Capture; source: Source }) {
  const { targets, traces, doing } = capture;
  return (
    <p role="status">
      {visible(doing) || t("capture.looking")} {targets > 0 && t("capture.traces", { traces, targets })}{" "}
      <progress aria-label={t("capture.progress")} {...(targets > 0 && traces > 0 && { value: traces / targets })} />{" "}
      <button type="button" onClick={() => void source.stopCapture()}>{t("capture.stop")}</button>
    </p>
  );
}

function CaptureDialog({ source, look, onClose }: { source: Source; look: () => Promise<void>; onClose: () => void }) {
  const [door, setDoor] = useState<CaptureAsk["door"]>("torch"), [servers, setServers] = useState(""), [seconds, setSeconds] = useState(1);
  const { capture, problem, start } = useCapture(source, true, async ({ run }) => {
    await look();
    onClose();
    goTo(["run", run], { steps: "", ranks: "", with: "" });
  });
  const busy = capture !== null && !capture.done, unclear = door === "grpc" && servers.trim() === "";
  const ask = (list: boolean) => start({ door, for: Math.round(seconds * 1000), ...(door === "grpc" && { servers }), ...(list && { dry_run: 1 as const }) });
  return (
    <Dialog title={t("capture.title")} onClose={onClose} wide>
      <h2>{t("capture.title")}</h2>
      <form class="capture" onSubmit={(event) => { event.preventDefault(); if (!busy && !unclear) ask(false); }}>
        <fieldset>
          <legend>{t("capture.of")}</legend>
          <label><input type="radio" name="door" checked={door === "torch"} onChange={() => setDoor("torch")} /> {t("capture.torch")}</label>
          <label><input type="radio" name="door" checked={door === "grpc"} onChange={() => setDoor("grpc")} /> {t("capture.grpc")}</label>
        </fieldset>
        <p class="hint">{t(door === "torch" ? "capture.torch_hint" : "capture.grpc_hint")}</p>
        {door === "grpc" && <label>{t("capture.servers")} <input type="text" size={40} value={servers} placeholder="localhost:9012" onInput={(event) => setServers(event.currentTarget.value)} /></label>}
        <label>{t("capture.seconds")} <input type="number" min="0.01" max="600" step="any" value={seconds} required onInput={(event) => setSeconds(event.currentTarget.valueAsNumber || 1)} /></label>
        <p>
          <button type="submit" disabled={busy || unclear}>{t("capture.start")}</button>{" "}
          <button type="button" disabled={busy || unclear} onClick={() => ask(true)}>{t("capture.list")}</button>
        </p>
      </form>
      {problem && <ProblemPanel problem={problem} />}
      {capture && (busy ? <Running capture={capture} source={source} /> : <Outcome capture={capture} />)}
    </Dialog>
  );
}

// The button in the header, and the dialog that it opens. `can`: the server captures.
export function CaptureButton({ source, can, look }: { source: Source; can: boolean; look: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  useCommands(() => (can ? [{ id: "capture", keys: ["g p"], title: "capture.title", group: "go", run: () => setOpen(true) }] : []), [can]);
  if (!can) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} title={`${t("capture.title")} (g p)`}>{t("capture.button")}</button>
      {open && <CaptureDialog source={source} look={look} onClose={() => setOpen(false)} />}
    </>
  );
}
