import { MavLinkProtocolV1, MavLinkProtocolV2, x25crc } from "node-mavlink";
import { mixedFrames, seededRandom } from "../../../testing/fakes/mavlink-stream";
import { build, decode, decodeAs, FrameWriter } from "./codec";
import { frameCrc } from "./crc";
import type { Frame } from "./frame";
import { FrameReader } from "./frame-reader";
import { common, minimal, ParamError } from "./messages";

/** Feeds the chunks to a reader; returns the frames' bytes as hex, in order. */
function read(...chunks: Buffer[]): string[] {
  const frames: string[] = [];
  const reader = new FrameReader((frame) => frames.push(frame.bytes.toString("hex")));
  for (const chunk of chunks) reader.push(chunk);
  return frames;
}

const hex = (frames: readonly Buffer[]): string[] => frames.map((frame) => frame.toString("hex"));

/** A MAVLink 2 frame with an id of no dialect, whose checksum cannot be verified. */
function unknownFrame(payload: Buffer, sequence: number): Buffer {
  const header = Buffer.from([0xfd, payload.length, 0, 0, sequence, 1, 1, 0x50, 0xc3, 0x00]);
  return Buffer.concat([header, payload, Buffer.from([0x12, 0x34])]);
}

const heartbeat = () =>
  build(minimal.Heartbeat, { type: 2, autopilot: 3, customMode: 4, systemStatus: 3, mavlinkVersion: 3 });

describe("the checksum", () => {
  test("is the library's, for any bytes", () => {
    const random = seededRandom(1);
    for (let round = 0; round < 200; round++) {
      const bytes = Buffer.from(Array.from({ length: 3 + round }, () => Math.floor(random() * 256)));
      expect(frameCrc(bytes, 1, bytes.length - 2, 50)).toBe(x25crc(bytes, 1, 2, 50));
    }
  });
});

describe("frames", () => {
  test("of a mixed stream come out whole, one by one, however the stream is cut", () => {
    const frames = mixedFrames(60, seededRandom(2));
    const stream = Buffer.concat(frames);
    for (let cut = 0; cut <= stream.length; cut++) {
      expect(read(stream.subarray(0, cut), stream.subarray(cut))).toEqual(hex(frames));
    }
    const bytes = [...stream].map((byte) => Buffer.from([byte]));
    expect(read(...bytes)).toEqual(hex(frames));
  });

  test("of MAVLink 1 and 2 may be mixed, and tell their sender", () => {
    const old = new MavLinkProtocolV1(7, 1).serialize(heartbeat(), 9);
    const seen: Frame[] = [];
    new FrameReader((frame) => seen.push(frame)).push(
      Buffer.concat([old, new FrameWriter(8, 1).encode(heartbeat()), old]),
    );
    expect(seen.map(({ bytes, systemId, id }) => [bytes[0], systemId, id])).toEqual([
      [0xfe, 7, 0],
      [0xfd, 8, 0],
      [0xfe, 7, 0],
    ]);
    expect(seen.map((frame) => decodeAs(frame, minimal.Heartbeat).customMode)).toEqual([4, 4, 4]);
  });

  test("with a signature are taken whole", () => {
    const signer = new MavLinkProtocolV2(1, 1, MavLinkProtocolV2.IFLAG_SIGNED);
    const signed = signer.sign(
      signer.serialize(heartbeat(), 0),
      1,
      Buffer.alloc(32, 7),
      Date.UTC(2026, 0, 1),
    );
    const plain = new FrameWriter(1, 1).encode(heartbeat());
    expect(read(signed, plain)).toEqual(hex([signed, plain]));
  });

  test("with an incompatibility flag that we do not know are dropped", () => {
    const strange = new MavLinkProtocolV2(1, 1, 0x02).serialize(heartbeat(), 0);
    expect(read(strange, Buffer.alloc(300))).toEqual([]);
  });
});

describe("resynchronisation", () => {
  test("a false start byte before valid frames loses none of them, whatever its length byte", () => {
    const frames = mixedFrames(12, seededRandom(3));
    for (const start of [0xfd, 0xfe]) {
      for (let length = 0; length < 256; length++) {
        const noise = Buffer.from([start, length, 0, 0]);
        // A candidate waits for the bytes its length promises; the stream goes on, as streams do.
        expect(read(noise, ...frames, Buffer.alloc(300))).toEqual(hex(frames));
      }
    }
  });

  test("a frame with a corrupted length costs no other frame, whatever the length", () => {
    const frames = mixedFrames(14, seededRandom(4));
    for (let length = 0; length < 256; length++) {
      const broken = Buffer.from(frames[3]!);
      if (broken[1] === length) continue;
      broken[1] = length;
      const stream = [...frames.slice(0, 3), broken, ...frames.slice(4), Buffer.alloc(300)];
      expect(read(Buffer.concat(stream))).toEqual(hex(frames.filter((_, at) => at !== 3)));
    }
  });

  test("a stream with corrupted bytes yields exactly the intact frames, at every error rate", () => {
    for (let seed = 10; seed < 60; seed++) {
      const random = seededRandom(seed);
      const frames = mixedFrames(120, random);
      const density = random() * 0.05;
      const sent = frames.map((frame) => {
        const copy = Buffer.from(frame);
        for (let at = 0; at < copy.length; at++) {
          if (random() < density) copy[at] = copy[at]! ^ (1 + Math.floor(random() * 255));
        }
        return copy;
      });
      const untouched = hex(frames).filter((frame, at) => frame === sent[at]!.toString("hex"));
      const stream = Buffer.concat([...sent, Buffer.alloc(300)]);
      const chunks: Buffer[] = [];
      for (let at = 0; at < stream.length; ) {
        const size = 1 + Math.floor(random() * 400);
        chunks.push(stream.subarray(at, at + size));
        at += size;
      }
      expect(read(...chunks)).toEqual(untouched);
    }
  });

  test("dropped, doubled and inserted bytes cost only the frames they hit", () => {
    for (let seed = 100; seed < 140; seed++) {
      const random = seededRandom(seed);
      const frames = mixedFrames(80, random);
      const sent = frames.map((frame) => {
        if (random() > 0.1) return frame;
        const at = Math.floor(random() * frame.length);
        const part = Buffer.from([Math.floor(random() * 256), 0xfd, 0xfe]).subarray(
          0,
          Math.floor(random() * 4),
        );
        return Buffer.concat([frame.subarray(0, at), part, frame.subarray(at + 1)]);
      });
      const untouched = frames.flatMap((frame, at) => (frame === sent[at] ? [frame.toString("hex")] : []));
      const got = read(Buffer.concat([...sent, Buffer.alloc(300)]));
      // A byte replaced by itself leaves a hit frame whole, so there may be more; these are all there.
      expect(got.filter((frame) => untouched.includes(frame))).toEqual(untouched);
    }
  });

  test("random bytes that form a valid frame do not cost the real frame that they overlap", () => {
    const good = new FrameWriter(1, 1).encode(
      build(common.StatusText, { severity: 6, text: "a good frame" }),
    );
    const covered = 12;
    const chance = Buffer.concat([
      Buffer.from([0xfd, 2 + covered, 0, 0, 9, 1, 1, 0, 0, 0, 0, 0]),
      good.subarray(0, covered),
    ]);
    const wanted = good.readUInt16LE(covered);
    let filler = 0;
    do {
      chance.writeUInt16LE(filler, 10);
      filler += 1;
    } while (frameCrc(chance, 1, chance.length, 50) !== wanted && filler < 65_536);
    expect(frameCrc(chance, 1, chance.length, 50)).toBe(wanted);
    const noise = Buffer.from([0x00]);
    const falseStart = chance.subarray(0, 12);
    expect(read(Buffer.concat([noise, falseStart, good, good]))).toEqual(hex([good, good]));
  });

  test("an unknown message is skipped, and costs no valid frame", () => {
    const [first, second] = mixedFrames(2, seededRandom(5)) as [Buffer, Buffer];
    const unknown = unknownFrame(Buffer.alloc(40, 0x55), 1);
    expect(read(first, unknown, second)).toEqual(hex([first, second]));

    const lying = Buffer.from(unknown);
    lying[1] = 255;
    expect(read(first, lying, second)).toEqual(hex([first, second]));
  });

  test("an unknown message does not delay the frame before its end", () => {
    const [good] = mixedFrames(1, seededRandom(6)) as [Buffer];
    const header = unknownFrame(Buffer.alloc(200), 1).subarray(0, 10);
    expect(read(header, good)).toEqual(hex([good]));
  });
});

test("a frame whose checksum failed is dropped", () => {
  const broken = new FrameWriter(1, 1).encode(heartbeat());
  broken[12] = broken[12]! ^ 0xff;
  expect(read(broken, Buffer.alloc(300))).toEqual([]);
});

describe("waiting", () => {
  test("ends when the owner skips the incomplete frame, and drops nothing else", () => {
    const frames = mixedFrames(3, seededRandom(8));
    const seen: string[] = [];
    const reader = new FrameReader((frame) => seen.push(frame.bytes.toString("hex")));
    reader.push(Buffer.concat([Buffer.from([0xfd, 250, 0, 0, 0, 1, 1, 0, 0, 0]), ...frames]));
    expect(seen).toEqual([]);
    expect(reader.incompleteAt).toBe(0);
    reader.skipIncomplete();
    expect(seen).toEqual(hex(frames));
    expect(reader.incompleteAt).toBeUndefined();
  });

  test("ends with the stream", () => {
    const frames = mixedFrames(2, seededRandom(9));
    const seen: string[] = [];
    const reader = new FrameReader((frame) => seen.push(frame.bytes.toString("hex")));
    const false1 = Buffer.from([0xfd, 250, 0, 0, 0, 1, 1, 0, 0, 0]);
    reader.push(Buffer.concat([false1, false1, ...frames, false1]));
    reader.end();
    expect(seen).toEqual(hex(frames));
  });
});

describe("the codec", () => {
  test("decodes what it encoded, with extension fields and truncated zeros", () => {
    const text = build(common.StatusText, { severity: 2, text: "PreArm: GPS", id: 0, chunkSeq: 0 });
    const error = build(ParamError, {
      paramId: "NO_SUCH",
      error: 1,
      targetSystem: 245,
      targetComponent: 190,
    });
    const decoded: unknown[] = [];
    const writer = new FrameWriter(1, 1);
    new FrameReader((frame) => decoded.push(decode(frame))).push(
      Buffer.concat([writer.encode(text), writer.encode(error)]),
    );
    expect(decoded).toEqual([text, error]);
  });

  test("a patched payload can hold bits that are no valid number, with a valid checksum", () => {
    const set = build(common.ParamSet, { paramId: "COM_FLTMODE1", paramType: 6, targetSystem: 1 });
    const frame = new FrameWriter(245, 190).encode(set, (payload) => payload.writeInt32LE(-1, 0));
    const seen: Buffer[] = [];
    new FrameReader((got) => seen.push(got.payload)).push(frame);
    expect(seen.map((payload) => payload.readInt32LE(0))).toEqual([-1]);
  });

  test("numbers frames from 0 to 255 and then from 0 again", () => {
    const writer = new FrameWriter(1, 1);
    const sequences = Array.from({ length: 258 }, () => writer.encode(heartbeat())[4]);
    expect([sequences[0], sequences[255], sequences[256], sequences[257]]).toEqual([0, 255, 0, 1]);
  });
});

test("frames of an unknown id tell their senders where they follow another frame", () => {
  const told: unknown[] = [];
  const known = new FrameWriter(1, 1).encode(heartbeat());
  const noise = Buffer.from([0x00]);
  const reader = new FrameReader(
    () => {},
    (sender) => told.push(sender),
  );
  reader.push(
    Buffer.concat([
      ...[known, unknownFrame(Buffer.from([1, 2]), 7), unknownFrame(Buffer.from([3]), 8), known],
      ...[noise, unknownFrame(Buffer.from([4]), 9), known],
    ]),
  );
  expect(told).toEqual([
    { sequence: 7, systemId: 1, componentId: 1 },
    { sequence: 8, systemId: 1, componentId: 1 },
  ]);
});
