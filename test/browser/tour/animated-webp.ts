/** A picture as a file of WebP, and how long it is shown. */
export type Frame = { readonly webp: Buffer; readonly ms: number };

type Size = { readonly width: number; readonly height: number };
type Chunk = { readonly id: string; readonly data: Buffer };

/** The chunks that hold a picture; the others repeat its size, or hold colours and remarks. */
const ofPicture = new Set(["ALPH", "VP8 ", "VP8L"]);
const IS_ANIMATION = 0x02;
/** Each frame replaces the one before. */
const NO_BLENDING = 0x02;

/**
 * Pictures of one size as one that moves, over and over. Pure.
 * https://developers.google.com/speed/webp/docs/riff_container
 */
export function animatedWebp(frames: readonly Frame[], size: Size): Buffer {
  const canvas = Buffer.concat([Buffer.from([IS_ANIMATION, 0, 0, 0]), sizeOf(size)]);
  const noColourAndNoEnd = Buffer.alloc(6);
  const chunks = [
    chunk({ id: "VP8X", data: canvas }),
    chunk({ id: "ANIM", data: noColourAndNoEnd }),
    ...frames.map((frame) => chunk({ id: "ANMF", data: shown(frame, size) })),
  ];
  const body = Buffer.concat([Buffer.from("WEBP"), ...chunks]);
  return chunk({ id: "RIFF", data: body });
}

function shown({ webp, ms }: Frame, size: Size): Buffer {
  const corner = Buffer.alloc(6);
  const picture = chunksIn(webp).filter(({ id }) => ofPicture.has(id));
  return Buffer.concat([corner, sizeOf(size), uint24(ms), Buffer.from([NO_BLENDING]), ...picture.map(chunk)]);
}

function sizeOf({ width, height }: Size): Buffer {
  return Buffer.concat([uint24(width - 1), uint24(height - 1)]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}

/** Its length follows its name, and it ends at an even place. */
function chunk({ id, data }: Chunk): Buffer {
  const head = Buffer.alloc(8);
  head.write(id);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

export function chunksIn(file: Buffer): readonly Chunk[] {
  const found: Chunk[] = [];
  // After "RIFF", its length, and "WEBP".
  for (let at = 12; at + 8 <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    found.push({ id: file.toString("latin1", at, at + 4), data: file.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return found;
}
