// Fetches the tiles that frames need: one request per frame, aborted when no frame needs its tiles.
import type { TileId } from "../data/source";
import { type Held, TileCache } from "./cache";
import { decodeTiles } from "../data/tile";

const kTilesInRequest = 128;
const kRequests = 2;      // at once; while they run, what later frames want gathers
const kRetryMs = 1000;

export const tileKey = (id: TileId): string => `${id.track}.${id.level}.${id.index}`;

type Fetch = (list: readonly TileId[], signal: AbortSignal) => Promise<ArrayBuffer>;

interface Batch {
  readonly keys: ReadonlySet<string>;
  readonly abort: AbortController;
}

export interface LoaderEvents {
  arrived(): void;             // a frame would look different now
  failed(why: unknown): void;  // and is tried again when a later frame wants it
}

export class TileLoader {
  private wanted = new Map<string, TileId>();
  private readonly batches = new Set<Batch>();
  private notBefore = 0;
  arrivals = 0;  // answers so far: while it stays, so does what is here

  constructor(private readonly fetch: Fetch, readonly cache: TileCache, private readonly events: LoaderEvents) {}

  // How many requests are under way.
  get busy(): number { return this.batches.size; }

  // How many tiles this frame wanted and did not have.
  get missing(): number { return this.wanted.size; }

  // Begins a frame: nothing is wanted yet.
  begin(): void { this.wanted = new Map(); }

  // The tile, if it is here; else it is wanted by this frame.
  want(id: TileId): Held | undefined {
    const key = tileKey(id);
    const held = this.cache.get(key);
    if (held === undefined) this.wanted.set(key, id);
    return held;
  }

  // Ends a frame: lets go of requests that it does not want, and asks for what it misses.
  end(now: number): void {
    for (const batch of [...this.batches]) {
      if (![...batch.keys].some((key) => this.wanted.has(key))) this.drop(batch);
    }
    if (now < this.notBefore) return;
    const under = new Set([...this.batches].flatMap((batch) => [...batch.keys]));
    const missing = [...this.wanted].filter(([key]) => !under.has(key));
    for (let at = 0; at < missing.length && this.batches.size < kRequests; at += kTilesInRequest) {
      void this.send(missing.slice(at, at + kTilesInRequest));
    }
  }

  // Aborts everything: the view is gone.
  stop(): void {
    for (const batch of [...this.batches]) this.drop(batch);
  }

  private drop(batch: Batch): void {
    this.batches.delete(batch);
    batch.abort.abort();
  }

  private async send(list: readonly (readonly [string, TileId])[]): Promise<void> {
    const batch = { keys: new Set(list.map(([key]) => key)), abort: new AbortController() };
    this.batches.add(batch);
    try {
      const bytes = await this.fetch(list.map(([, id]) => id), batch.abort.signal);
      if (this.batches.has(batch)) this.keep(bytes, batch.keys);
    } catch (why) {
      if (!this.batches.has(batch)) return;
      this.notBefore = performance.now() + kRetryMs;
      setTimeout(() => this.events.arrived(), kRetryMs);  // a frame then asks again
      this.events.failed(why);
    } finally {
      if (this.batches.delete(batch)) this.events.arrived();
    }
  }

  private keep(bytes: ArrayBuffer, asked: ReadonlySet<string>): void {
    ++this.arrivals;
    const left = new Set(asked);
    for (const tile of decodeTiles(bytes)) {
      const key = tileKey(tile);
      this.cache.set(key, tile);
      left.delete(key);
    }
    for (const key of left) this.cache.set(key, "absent");
  }
}
