// Tests the tiles of a report.html: one block per level, without empty tiles.
import assert from "node:assert/strict";
import test from "node:test";
import { emptyTile, tilesByName } from "../src/data/embedded";
import { decodeTiles } from "../src/data/tile";
import { encodeTile, joined } from "./fake_timeline";

test("a block is cut into its tiles", () => {
  const first = { track: 0, level: 4, index: 0 }, second = { track: 3, level: 4, index: 7 };
  const events = [{ start: 1000, duration: 600, name: "gemm", kind: 0 }, { start: 57_400, duration: 100, name: "relu", kind: 0 }];
  const tiles = tilesByName(new Uint8Array(joined([encodeTile(first, { events }), encodeTile(second, { events })])));
  assert.deepEqual([...tiles.keys()], ["0.4.0", "3.4.7"]);
  const [tile] = decodeTiles(new Uint8Array(tiles.get("3.4.7") ?? []).buffer);
  assert.deepEqual([...(tile?.boxes.start ?? [])], [57_400]);
  assert.equal(tilesByName(new Uint8Array()).size, 0);
  assert.equal(tilesByName(new Uint8Array(64)).size, 0);
});

test("a tile that was left out has nothing in it", () => {
  const [tile] = decodeTiles(new Uint8Array(emptyTile({ track: 3, level: 9, index: 12 })).buffer);
  assert.deepEqual([tile?.track, tile?.level, tile?.index], [3, 9, 12]);
  assert.deepEqual([tile?.boxes.size, tile?.spans.size, tile?.points.size, tile?.names.size], [0, 0, 0, 0]);
});
