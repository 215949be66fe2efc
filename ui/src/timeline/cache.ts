// Keeps the most recently used tiles, up to a size in bytes.
import type { Tile } from "../data/tile";

// What a tile costs beside its bytes: its objects and views, about.
const kOverhead = 1500;

// A tile that the source does not have: asked once, not again.
export type Held = Tile | "absent";

export class TileCache {
  // In the order of last use: a Map keeps at its end what was set last.
  private readonly held = new Map<string, Held>();
  private used = 0;

  constructor(private readonly limit: number) {}

  get bytes(): number { return this.used; }
  get size(): number { return this.held.size; }

  // The tile, which thereby counts as used last.
  get(key: string): Held | undefined {
    const tile = this.held.get(key);
    if (tile !== undefined) {
      this.held.delete(key);
      this.held.set(key, tile);
    }
    return tile;
  }

  has(key: string): boolean { return this.held.has(key); }

  set(key: string, tile: Held): void {
    const before = this.held.get(key);
    if (before !== undefined) this.forget(key, before);
    this.held.set(key, tile);
    this.used += cost(tile);
    for (const [oldest, held] of this.held) {
      if (this.used <= this.limit || oldest === key) break;
      this.forget(oldest, held);
    }
  }

  private forget(key: string, tile: Held): void {
    this.held.delete(key);
    this.used -= cost(tile);
  }
}

const cost = (tile: Held): number => kOverhead + (tile === "absent" ? 0 : tile.bytes);
