// Shows what is wider than its page in a box that scrolls, and says when there is more to the right: not every system shows that.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../text";

const kSeen = 4;  // pixels that nobody misses

export function ScrollBox({ labelledBy, children }: { labelledBy: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null), [more, setMore] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const look = () => setMore(current.scrollWidth - current.clientWidth - current.scrollLeft > kSeen);
    const sizes = new ResizeObserver(look);
    for (const one of [current, ...current.children]) sizes.observe(one);
    current.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, []);
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-labelledby={labelledBy} ref={box}>{children}</div>
      {more && <p class="faint more-right">{t("table.more_right")} <span aria-hidden="true">→</span></p>}
    </>
  );
}
