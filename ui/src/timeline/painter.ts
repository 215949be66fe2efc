// Draws the tracks of a frame into a pixel buffer and lists the boxes wide enough for a label. Lengths are device pixels.
import { CurveRows, curvesOf, drawCurves } from "./curves";
import { edgeOf, kPatternBits, paintOf, type Colors } from "./colors";
import { kAxisHeight, lanesBetween, type Lane } from "./lanes";
import { levelFor } from "./levels";
import type { TileLoader } from "./loader";
import { piecesOf, type Piece } from "./pieces";
import { Pixels, Strips } from "./raster";
import { stepsOf, type Scene } from "./scene";
import { bucketNs, kBuckets, type Tile } from "../data/tile";

const kWide = 12;          // pixels from which on a box shows its pattern
const kForLabel = 26;      // CSS pixels from which on it has room for a label
const kMostLabels = 700;
const kMostInFolded = 100;  // boxes of a folded lane that are looked at for names

// A box with room for text. `clip`: the height of the screen above which it is hidden.
export interface Label {
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly height: number;
  readonly tile: Tile;
  readonly box: number;
  readonly clip: number;
}

// One frame's measures that every lane needs.
interface Frame {
  readonly scene: Scene;
  readonly pixels: Pixels;
  readonly level: number;
  readonly scale: number;  // device pixels for a ns
  readonly labels: Label[];
}

// The part of a lane that is on the screen.
interface Shown {
  readonly lane: Lane;
  readonly top: number;
  readonly rowHeight: number;
  readonly first: number;  // rows first..last are drawn
  readonly last: number;
  readonly clip: number;   // nothing above this is drawn
}

export class Painter {
  private pixels = new Pixels(1, 1);
  private readonly strips = new Strips();
  private line = new Uint32Array(0);
  private readonly curves = new CurveRows();
  // Those of this frame by lane, and lines to make them of: what each frame makes anew is garbage of the next.
  private readonly backgrounds = new Map<number, Uint32Array>();
  private readonly spare: Uint32Array[] = [];

  constructor(private readonly loader: TileLoader) {}

  paint(scene: Scene): { readonly image: ImageData; readonly labels: readonly Label[] } {
    const width = Math.round(scene.width * scene.dpr), height = Math.round(scene.height * scene.dpr);
    if (this.pixels.width !== width || this.pixels.height !== height) this.pixels = new Pixels(width, height);
    if (this.line.length !== width) {
      this.line = new Uint32Array(width);
      this.spare.length = 0;
    } else {
      this.spare.push(...this.backgrounds.values());
    }
    this.backgrounds.clear();
    const frame: Frame = {
      scene, pixels: this.pixels, labels: [],
      level: levelFor(scene.view, width), scale: width / (scene.view.to - scene.view.from),
    };
    this.pixels.fill(scene.colors.page, 0, height);
    const below = kAxisHeight + scene.lanes.pinnedHeight;
    for (const lane of lanesInSight(scene)) this.drawLane(frame, lane, below - scene.scroll, below);
    for (const lane of scene.lanes.pinned) this.drawLane(frame, lane, kAxisHeight, kAxisHeight);
    return { image: this.pixels.image, labels: frame.labels };
  }

  // Wants the tiles of a frame, which is not drawn.
  want(scene: Scene): void {
    const level = levelFor(scene.view, Math.round(scene.width * scene.dpr));
    for (const lane of [...lanesInSight(scene), ...scene.lanes.pinned]) {
      for (const track of lane.tracks) piecesOf(this.loader, scene.info, track, scene.view, level);
    }
  }

  private drawLane(frame: Frame, lane: Lane, offset: number, clip: number): void {
    const { scene, pixels } = frame;
    const top = Math.round((lane.y + offset) * scene.dpr), edge = Math.round(clip * scene.dpr);
    const bottom = Math.round((lane.y + lane.height + offset) * scene.dpr);
    const background = this.background(frame, lane);
    pixels.copyLine(background, Math.max(top, edge), bottom);
    const rowHeight = Math.round(lane.rowHeight * scene.dpr);
    const first = Math.max(0, Math.floor((edge - top) / rowHeight));
    const last = Math.min(lane.rows - 1, Math.floor((pixels.height - 1 - top) / rowHeight));
    if (lane.tracks.length === 0 || last < first) return;
    const shown = { lane, top, rowHeight, first, last, clip: edge };
    const pieces = lane.tracks.flatMap((track) =>
      piecesOf(this.loader, scene.info, track, scene.view, frame.level));
    if (lane.counter) this.drawCounter(frame, shown, pieces);
    else this.drawRows(frame, shown, pieces, background);
  }

  private drawRows(frame: Frame, shown: Shown, pieces: readonly Piece[], background: Uint32Array): void {
    const { pixels, scene } = frame;
    const wide: Label[] = [];
    const { lane } = shown, room = kForLabel * scene.dpr, lone = lane.kind === "track" && !lane.folded;
    this.strips.start(shown.last - shown.first + 1, pixels.width, !lone);
    for (const piece of pieces) {
      this.addSpans(frame, shown, piece);
      this.addBoxes(frame, shown, piece, wide);
    }
    const gap = Math.max(1, Math.round(scene.dpr));
    for (let row = shown.first; row <= shown.last; ++row) {
      this.line.set(background);
      this.strips.emit(row - shown.first, this.line, scene.colors.lut);
      const y = shown.top + row * shown.rowHeight;
      pixels.copyLine(this.line, Math.max(y, shown.clip), y + shown.rowHeight - gap);
    }
    for (const box of wide) drawPattern(pixels, scene.colors, box);
    for (const box of lone ? wide : this.onTop(frame, wide)) {
      if (box.x1 - box.x0 >= room && frame.labels.length < kMostLabels) frame.labels.push(box);
    }
  }

  // Where tracks or rows lie over one another in one: of the longest boxes what of them is on top.
  private onTop(frame: Frame, wide: readonly Label[]): Label[] {
    const room = kForLabel * frame.scene.dpr;
    return wide.map((box, i) => ({ box, owner: i + 1 }))
      .filter(({ box }) => box.x1 - box.x0 >= room)
      .sort((a, b) => (b.box.x1 - b.box.x0) - (a.box.x1 - a.box.x0)).slice(0, kMostInFolded)
      .map(({ box, owner }) => {
        const [x0, x1] = this.strips.longestRun(owner, box.x0, box.x1);
        return { ...box, x0, x1 };
      });
  }

  private addSpans(frame: Frame, shown: Shown, { tile, from, to, shift }: Piece): void {
    const { scale, scene: { view, colors } } = frame;
    const length = bucketNs(tile.level), start = tile.index * length * kBuckets + shift;
    this.strips.owner = 0;
    this.strips.addSpans(tile.spans, colors.plain, {
      x: (start - view.from) * scale, step: length * scale, from: (from - start) / length, to: (to - start) / length,
      merged: shown.lane.rows === 1, rows: [shown.first, shown.last],
    });
  }

  private addBoxes(frame: Frame, shown: Shown, { tile, from, to }: Piece, wide: Label[]): void {
    const { boxes, names } = tile, { scale, scene: { view, colors } } = frame;
    const merged = shown.lane.rows === 1, other = colors.kinds - 1;
    const right = frame.pixels.width;
    for (let i = 0; i < boxes.size; ++i) {
      const row = merged ? 0 : boxes.row[i]!;
      if (row < shown.first || row > shown.last) continue;
      const start = boxes.start[i]!, end = start + boxes.duration[i]!;
      if (start >= to || end < from || end < view.from || start > view.to) continue;
      const kind = Math.min(boxes.kind[i]!, other);
      const x0 = (Math.max(start, from) - view.from) * scale, x1 = (Math.min(end, to) - view.from) * scale;
      const paint = paintOf(kind, names.shade(boxes.name[i]!));
      // Its text is set once: by the piece in which the part on the screen begins.
      const begins = Math.max(start, view.from) >= from;
      const left = Math.max(0, (start - view.from) * scale), limit = Math.min(right, (end - view.from) * scale);
      const named = begins && limit - left >= kWide;
      this.strips.owner = named ? wide.length + 1 : 0;
      this.strips.add(row - shown.first, x0, x1, 1, paint, start >= from ? edgeOf(kind) : paint);
      if (!named) continue;
      const y = shown.top + row * shown.rowHeight;
      wide.push({ x0: left, x1: limit, y, height: shown.rowHeight, tile, box: i, clip: shown.clip });
    }
  }

  private drawCounter(frame: Frame, shown: Shown, pieces: readonly Piece[]): void {
    const { scene, pixels } = frame;
    const track = scene.info.tracks[shown.lane.tracks[0] ?? -1];
    const curves = curvesOf(pieces, scene.view.from, frame.scale, this.curves.of(pixels.width));
    const end = Math.ceil(((track?.until ?? scene.info.end) - scene.view.from) * frame.scale);
    const { top, rowHeight: height, clip } = shown;
    drawCurves(pixels, curves, { top, height, clip, max: track?.max ?? 1, end, colors: scene.colors });
  }

  // A lane's line before anything is on it: every second step of its rank is a band.
  private background(frame: Frame, lane: Lane): Uint32Array {
    const { scene } = frame;
    const key = lane.rankIndex * 2 + (lane.kind === "track" ? 0 : 1);
    const known = this.backgrounds.get(key);
    if (known) return known;
    const width = frame.pixels.width;
    const { page, head, band } = scene.colors;
    const line = (this.spare.pop() ?? new Uint32Array(width)).fill(lane.kind === "track" ? page : head);
    for (const step of stepsOf(scene.info, lane.rankIndex)) {
      if (step.number % 2 === 0) continue;
      const x0 = Math.max(0, Math.round((step.start - scene.view.from) * frame.scale));
      const x1 = Math.min(width, Math.round((step.end - scene.view.from) * frame.scale));
      if (x1 > x0) line.fill(band, x0, x1);
    }
    this.backgrounds.set(key, line);
    return line;
  }
}

export function lanesInSight({ lanes, scroll, height }: Scene): readonly Lane[] {
  return lanesBetween(lanes.lanes, scroll, scroll + height - kAxisHeight - lanes.pinnedHeight);
}

// Darker or lighter points in the pattern of the box's kind: it is told apart without its color.
function drawPattern(pixels: Pixels, colors: Colors, box: Label): void {
  const kind = Math.min(box.tile.boxes.kind[box.box]!, colors.kinds - 1);
  const bits = kPatternBits[colors.pattern[kind]!];
  const ink = colors.patternInk[kind]!;
  const x0 = Math.ceil(box.x0) + 2, x1 = Math.min(pixels.width, Math.floor(box.x1) - 1);
  for (let y = Math.max(box.clip, box.y + 1, 0); y < Math.min(pixels.height, box.y + box.height - 2); ++y) {
    const row = bits[(y - box.y) & 7]!;
    if (row === 0) continue;
    const at = y * pixels.width;
    for (let x = x0; x < x1; ++x) if ((row >> ((x - x0) & 7)) & 1) pixels.words[at + x] = ink;
  }
}
