import { expect, test } from "vitest";
import { animatedWebp, chunksIn } from "./animated-webp.ts";

/** A still picture, with a chunk that says nothing about its pixels. */
function still(pixels: string): Buffer {
  const chunk = (id: string, data: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(id), length, Buffer.from(data.padEnd(data.length + (data.length % 2), "\0"))]);
  };
  return chunk("RIFF", `WEBP${chunk("EXIF", "remark").toString("latin1")}${chunk("VP8L", pixels).toString("latin1")}`);
}

test("pictures become one file, each with its time, in their order", () => {
  const file = animatedWebp(
    [
      { webp: still("one"), ms: 3_000 },
      { webp: still("second"), ms: 500 },
    ],
    { width: 780, height: 1_240 },
  );

  const [canvas, , ...frames] = chunksIn(file);
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  expect(chunksIn(file).map(({ id }) => id)).toEqual(["VP8X", "ANIM", "ANMF", "ANMF"]);
  expect([canvas?.data.readUIntLE(4, 3), canvas?.data.readUIntLE(7, 3)]).toEqual([779, 1_239]);
  expect(frames.map(({ data }) => data.readUIntLE(12, 3))).toEqual([3_000, 500]);
  // After place, size, time and flags come the chunks of the picture.
  expect(frames.map(({ data }) => data.toString("latin1", 16).replaceAll("\0", ""))).toEqual([
    "VP8L\u0003one",
    "VP8L\u0006second",
  ]);
});
