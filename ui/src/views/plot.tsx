// A canvas that fills its width, sharp on any screen: drawn again when what it shows, the theme or its width changes.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useTheme, type Theme } from "../shell/theme";

export type Draw = (context: CanvasRenderingContext2D, width: number, height: number, theme: Theme) => void;

export function Plot({ draw, height, ...rest }: { draw: Draw; height: number } & Omit<JSX.HTMLAttributes<HTMLCanvasElement>, "height" | "ref">) {
  const canvas = useRef<HTMLCanvasElement>(null), theme = useTheme();
  const [observed, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const resize = new ResizeObserver(() => setWidth(element.clientWidth));
    resize.observe(element);
    return () => resize.disconnect();
  }, []);
  // Before the browser paints: on a busy machine an effect behind it comes a second later, and the canvas is empty until then.
  useLayoutEffect(() => {
    const element = canvas.current, context = element?.getContext("2d"), width = observed || (element?.clientWidth ?? 0);
    if (!element || !context || width === 0) return;
    const dense = devicePixelRatio || 1, [across, down] = [Math.round(width * dense), Math.round(height * dense)];
    if (element.width !== across || element.height !== down) [element.width, element.height] = [across, down];
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    draw(context, width, height, theme);
  }, [draw, observed, height, theme]);
  return <canvas ref={canvas} style={{ height: `${height}px` }} {...rest} />;
}
