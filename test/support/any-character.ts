import * as fc from "fast-check";

/** Any character of Unicode. Before fast-check gives the first of its own `binary`, it works for more than a second. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
