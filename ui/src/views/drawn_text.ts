// Draws short texts on a canvas again and again: each is set once and kept as a picture, which takes a tenth of the time.

interface Line {
  readonly color: string;
  readonly align: "right" | "center";
  readonly most: number;  // CSS pixels: longer ones are set narrower
}

interface Kept {
  readonly picture: HTMLCanvasElement;
  readonly width: number;  // CSS pixels
}

const kMost = 1000, kHigh = 16;
const kept = new Map<string, Kept>();

function setText(context: CanvasRenderingContext2D, text: string, { color, most }: Line, dense: number): Kept {
  const width = Math.min(most, Math.ceil(context.measureText(text).width) + 2), picture = document.createElement("canvas");
  [picture.width, picture.height] = [Math.max(1, Math.ceil(width * dense)), Math.ceil(kHigh * dense)];
  const own = picture.getContext("2d")!;
  own.setTransform(dense, 0, 0, dense, 0, 0);
  own.font = context.font;
  own.fillStyle = color;
  own.textBaseline = "middle";
  own.textAlign = "center";
  own.fillText(text, width / 2, kHigh / 2, most);
  return { picture, width };
}

// `y`: of the middle of the line.
export function drawText(context: CanvasRenderingContext2D, text: string, x: number, y: number, line: Line): void {
  const dense = devicePixelRatio || 1, key = `${dense} ${line.color} ${line.most} ${context.font} ${text}`;
  const one = kept.get(key) ?? setText(context, text, line, dense), left = x - (line.align === "right" ? one.width - 1 : one.width / 2);
  if (!kept.has(key) && kept.size >= kMost) kept.delete(kept.keys().next().value!);
  kept.set(key, one);
  const whole = (place: number) => Math.round(place * dense) / dense;  // or the letters blur
  context.drawImage(one.picture, whole(left), whole(y - kHigh / 2), one.picture.width / dense, one.picture.height / dense);
}
