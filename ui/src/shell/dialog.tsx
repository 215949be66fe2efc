// Shows a native modal dialog: it traps the focus, closes on Escape, and restores the focus.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../text";

export function Dialog({ title, onClose, children, wide }: {
  title: string; onClose: () => void; children: ComponentChildren; wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog} class={wide ? "wide" : ""} aria-label={title} onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog-body">
        <button type="button" class="close" aria-label={t("dialog.close")} title={t("dialog.close")} onClick={() => dialog.current?.close()}>✕</button>
        {children}
      </div>
    </dialog>
  );
}
