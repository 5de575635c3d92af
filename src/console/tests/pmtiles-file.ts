/** `png` or `mvt`, by their numbers in the format's header. */
type TileType = 1 | 2;

/**
 * A .pmtiles file (version 3) of one tile, which is the whole world. Written by the format's description, apart from the
 * library that reads it.
 */
export function pmtilesFile(type: TileType, tile: Buffer, metadata: object): Buffer {
  // One entry: tile 0, once, its length, its offset plus one.
  const directory = Buffer.from([1, 0, 1, ...varint(tile.length), 1]);
  const json = Buffer.from(JSON.stringify(metadata));
  const header = Buffer.alloc(127);
  header.write("PMTiles");
  header.writeUInt8(3, 7);
  const parts = [directory, json, Buffer.alloc(0), tile];
  let offset = header.length;
  for (const [at, part] of parts.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + at * 16);
    header.writeBigUInt64LE(BigInt(part.length), 16 + at * 16);
    offset += part.length;
  }
  // Tiles that are addressed, entries, contents.
  for (const at of [72, 80, 88]) header.writeBigUInt64LE(1n, at);
  // Clustered, without compression of directories and tiles.
  for (const [at, value] of [1, 1, 1, type].entries()) header.writeUInt8(value, 96 + at);
  return Buffer.concat([header, ...parts]);
}

/** A Mapbox vector tile with one square, from a quarter of its width to three quarters. */
export function vectorTile(layer: string): Buffer {
  const zigzag = (value: number) => (value << 1) ^ (value >> 31);
  const geometry = [9, 1024, 1024, 26, 2048, 0, 0, 2048, -2048, 0, 15].map((value, at) =>
    at === 0 || at === 3 || at === 10 ? value : zigzag(value),
  );
  const feature = Buffer.concat([Buffer.from([0x18, 3]), field(0x22, Buffer.from(geometry.flatMap(varint)))]);
  const name = field(0x0a, Buffer.from(layer));
  const version = Buffer.from([0x78, 2]);
  const extent = Buffer.from([0x28, ...varint(4096)]);
  return field(0x1a, Buffer.concat([version, name, field(0x12, feature), extent]));
}

const field = (tag: number, content: Buffer) =>
  Buffer.concat([Buffer.from([tag, ...varint(content.length)]), content]);

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}
