// Draws an element of the page as one SVG: boxes, patterns, text where it stands, drawings and canvases. What the page hides
// or scrolls is drawn as if there were room; buttons and fields that only work on the page are left out.

interface Box { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }

export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

const kMargin = 12;
const kLeftOut = ".exports, .hidden, .in-timeline, .pager, .filter, .quiet, input";

const kEscapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
// XML 1.0 has no words for most control characters.
export const xmlText = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd").replace(/[&<>"]/g, (sign) => kEscapes[sign]!);

const isClear = (color: string): boolean => color === "transparent" || /^rgba\(.*, 0\)$/.test(color);
const round = (value: number): string => String(Math.round(100 * value) / 100);
const meet = (a: Box, b: Box): Box => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });

// What fits of a text that is cut where its box ends, with `end` behind it.
export function fitting(text: string, room: number, end: string, widthOf: (text: string) => number): string {
  if (widthOf(text) <= room + 1) return text;
  const letters = [...text];
  let [fits, most] = [0, letters.length];
  while (fits < most) {
    const half = Math.ceil((fits + most) / 2);
    if (widthOf(letters.slice(0, half).join("") + end) <= room) fits = half;
    else most = half - 1;
  }
  return letters.slice(0, fits).join("") + end;
}

const kDrawn = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-family", "text-anchor", "dominant-baseline", "vector-effect"];

// A copy that needs no style sheet.
function styled(drawn: SVGElement): SVGElement {
  const copy = drawn.cloneNode(true) as SVGElement;
  const originals = [drawn, ...drawn.querySelectorAll<SVGElement>("*")], copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  originals.forEach((original, at) => {
    const style = getComputedStyle(original);
    for (const name of kDrawn) copies[at]!.setAttribute(name, style.getPropertyValue(name).replace(/url\(".*#/, 'url("#').replaceAll('"', ""));
    copies[at]!.removeAttribute("class");
  });
  return copy;
}

class Pen {
  private readonly parts: string[] = [];
  private readonly patterns = new Map<string, string>();
  private readonly measure = document.createElement("canvas").getContext("2d")!;
  private right = 0;
  private bottom = 0;
  constructor(private readonly from: Box) {}

  private reach(box: Box): void {
    this.right = Math.max(this.right, box.right - this.from.left);
    this.bottom = Math.max(this.bottom, box.bottom - this.from.top);
  }

  private rect(box: Box, fill: string, more = ""): void {
    if (!(box.right > box.left) || !(box.bottom > box.top)) return;
    this.reach(box);
    this.parts.push(`<rect x="${round(box.left - this.from.left)}" y="${round(box.top - this.from.top)}" width="${round(box.right - box.left)}" height="${round(box.bottom - box.top)}" fill="${fill}"${more}/>`);
  }

  // One of the page's patterns, in the ink of the text upon it.
  private pattern(name: string, ink: string): string {
    const id = `${name}-${ink.replace(/\W+/g, "_")}`;
    const lines = document.querySelector(`#fill-${name} path`)?.getAttribute("d") ?? "";
    this.patterns.set(id, `<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse"><path d="${lines}" fill="none" stroke="${ink}" stroke-opacity="0.35" stroke-width="1.2"/></pattern>`);
    return `url(#${id})`;
  }

  private shade(element: Element, style: CSSStyleDeclaration, box: Box): void {
    const ends = /^linear-gradient\(to right, (rgba?\([^)]*\)), (rgba?\([^)]*\))\)$/.exec(style.backgroundImage);
    if (ends) {
      const id = `ramp-${this.patterns.size}`;
      this.patterns.set(id, `<linearGradient id="${id}"><stop offset="0" stop-color="${ends[1]}"/><stop offset="1" stop-color="${ends[2]}"/></linearGradient>`);
      return this.rect(box, `url(#${id})`);
    }
    const pattern = [...element.classList].find((name) => name.startsWith("p-"))?.slice(2);
    if (pattern && pattern !== "solid" && pattern !== "outline") this.rect(box, this.pattern(pattern, style.color));
    if (pattern === "outline") this.rect(box, "none", ` stroke="${style.color}" stroke-opacity="0.5"`);
  }

  private borders(style: CSSStyleDeclaration, box: Box): void {
    for (const side of ["Top", "Right", "Bottom", "Left"] as const) {
      const width = Number.parseFloat(style[`border${side}Width`]), color = style[`border${side}Color`];
      if (!(width > 0) || style[`border${side}Style`] === "none" || isClear(color)) continue;
      const [line, opposite] = { Top: ["bottom", "top"], Bottom: ["top", "bottom"], Left: ["right", "left"], Right: ["left", "right"] }[side] as [keyof Box, keyof Box];
      this.rect({ ...box, [line]: box[opposite] + (side === "Top" || side === "Left" ? width : -width) }, color);
    }
  }

  box(element: Element, style: CSSStyleDeclaration, box: Box): void {
    if (!isClear(style.backgroundColor)) this.rect(box, style.backgroundColor);
    if (style.backgroundImage !== "none" || element.classList.contains("p-outline")) this.shade(element, style, box);
    this.borders(style, box);
  }

  line(text: string, style: CSSStyleDeclaration, at: DOMRect, clip: Box, dots: boolean): void {
    const seen = meet(at, clip), room = seen.right - seen.left;
    if (room < 1 || seen.bottom - seen.top < 2) return;
    this.measure.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const shown = at.width <= room + 1 ? text : fitting(text, room, dots ? "…" : "", (part) => this.measure.measureText(part).width);
    if (shown.trim() === "") return;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = this.measure.measureText(shown);
    const base = at.top + (at.height - up - down) / 2 + up;
    this.reach(seen);
    const length = shown === text ? ` textLength="${round(at.width)}" lengthAdjust="spacingAndGlyphs"` : "";
    this.parts.push(`<text x="${round(at.left - this.from.left)}" y="${round(base - this.from.top)}" font-size="${style.fontSize}" font-weight="${style.fontWeight}" fill="${style.color}"${length} xml:space="preserve">${xmlText(shown)}</text>`);
  }

  drawing(drawn: SVGElement, box: Box): void {
    this.reach(box);
    const copy = styled(drawn);
    for (const [name, value] of [["x", box.left - this.from.left], ["y", box.top - this.from.top], ["width", box.right - box.left], ["height", box.bottom - box.top]] as const) copy.setAttribute(name, round(value));
    this.parts.push(new XMLSerializer().serializeToString(copy));
  }

  canvas(drawn: HTMLCanvasElement, box: Box): void {
    this.reach(box);
    this.parts.push(`<image x="${round(box.left - this.from.left)}" y="${round(box.top - this.from.top)}" width="${round(box.right - box.left)}" height="${round(box.bottom - box.top)}" href="${drawn.toDataURL("image/png")}"/>`);
  }

  end(title: string): Drawing {
    const width = Math.ceil(this.right) + 2 * kMargin, height = Math.ceil(this.bottom) + 2 * kMargin;
    const style = getComputedStyle(document.body);
    const rings = [...document.querySelectorAll<SVGElement>(".defs pattern")].map((one) => new XMLSerializer().serializeToString(styled(one))).join("");
    return {
      width, height,
      svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-kMargin} ${-kMargin} ${width} ${height}" font-family="${xmlText(style.fontFamily)}"><title>${xmlText(title)}</title><defs>${[...this.patterns.values()].join("")}${rings}</defs><rect x="${-kMargin}" y="${-kMargin}" width="${width}" height="${height}" fill="${style.backgroundColor}"/>${this.parts.join("")}</svg>`,
    };
  }
}

// The lines that a text is broken into, each with its place.
function linesOf(node: Text): { text: string; at: DOMRect }[] {
  const range = document.createRange(), text = node.data;
  range.selectNodeContents(node);
  const rects = [...range.getClientRects()];
  if (rects.length <= 1) return rects.map((at) => ({ text: text.replace(/\s+/g, " "), at }));
  const lines: { text: string; from: number; to: number; top: number }[] = [];
  for (let i = 0; i < text.length; ++i) {
    range.setStart(node, i);
    range.setEnd(node, i + 1);
    const rect = range.getClientRects()[0];
    const last = lines.at(-1);
    if (!rect || (rect.width === 0 && !last)) continue;
    if (last && Math.abs(rect.top - last.top) < 2) Object.assign(last, { text: last.text + text[i], to: i + 1 });
    else lines.push({ text: text[i]!, from: i, to: i + 1, top: rect.top });
  }
  return lines.map((line) => {
    range.setStart(node, line.from);
    range.setEnd(node, line.to);
    return { text: line.text, at: range.getBoundingClientRect() };
  });
}

function draw(element: Element, pen: Pen, clip: Box): void {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || element.matches(kLeftOut)) return;
  const box = element.getBoundingClientRect();
  if (element instanceof SVGElement) return box.width > 0 ? pen.drawing(element, box) : undefined;
  if (element instanceof HTMLCanvasElement) return box.width > 0 ? pen.canvas(element, box) : undefined;
  pen.box(element, style, box);
  const inner = style.overflowX === "hidden" || style.overflowX === "clip" ? meet(clip, box) : clip;
  if (element instanceof HTMLSelectElement) return pen.line(element.selectedOptions[0]?.text ?? "", style, box, inner, true);
  for (const child of element.childNodes) {
    if (child instanceof Element) draw(child, pen, inner);
    else if (child instanceof Text && child.data.trim() !== "") for (const { text, at } of linesOf(child)) pen.line(text, style, at, inner, style.textOverflow === "ellipsis");
  }
}

export function drawingOf(element: Element, title: string): Drawing {
  const pen = new Pen(element.getBoundingClientRect());
  draw(element, pen, { left: -1e7, top: -1e7, right: 1e7, bottom: 1e7 });
  return pen.end(title);
}

const kDense = 2;  // pixels of a PNG for one of the page
const kMostPixels = 16_000;  // of a side, as browsers allow

export async function pngOf({ svg, width, height }: Drawing): Promise<Blob> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new Error("this picture cannot be drawn"));
      image.src = url;
    });
    const dense = Math.min(kDense, kMostPixels / Math.max(width, height));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.round(width * dense), Math.round(height * dense)];
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no room for this picture"))), "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}
