import { expect, test } from "vitest";
import { splitLines } from "../../../../../src/service/engines/process/instances/log-output.ts";
import { MAX_LINE_BYTES } from "../../../../../src/service/workloads/runtime.ts";

function linesOf(...chunks: (string | Buffer)[]): string[] {
  const splitter = splitLines();
  const lines = chunks.flatMap((chunk) => [...splitter.push(Buffer.from(chunk))]);
  return [...lines, ...splitter.end()];
}

test.each<[string, (string | Buffer)[], string[]]>([
  ["lines", ["a\nb\n"], ["a", "b"]],
  ["line ends of Windows", ["a\r\nb\r\n"], ["a", "b"]],
  ["empty lines", ["\n\na\n"], ["", "", "a"]],
  ["a last line without an end", ["a\nb"], ["a", "b"]],
  ["a line in two chunks", ["ab", "cd\n"], ["abcd"]],
  ["a character in two chunks", [Buffer.from([0xe2, 0x82]), Buffer.from([0xac, 0x0a])], ["€"]],
  ["invalid UTF-8", [Buffer.from([0x61, 0xff, 0x62, 0x0a])], ["a\uFFFDb"]],
  ["NUL characters", ["a\0b\n"], ["a\uFFFDb"]],
  ["nothing", [], []],
])("output is cut into lines: %s", (_, chunks, expected) => {
  const lines = linesOf(...chunks);

  expect(lines).toEqual(expected);
});

test("a line of the most bytes stays in one piece, a longer one goes on in a marked line", () => {
  const longest = "x".repeat(MAX_LINE_BYTES);

  const lines = linesOf(`${longest}\n${longest}y\nshort\n`);

  expect(lines).toEqual([longest, longest, "[…] y", "short"]);
});

test("a long line is not cut inside a character", () => {
  const line = `x${"€".repeat(MAX_LINE_BYTES / 2)}`;

  const lines = linesOf(line);

  expect(lines.map((piece) => piece.replace("[…] ", "")).join("")).toBe(line);
  expect(lines.length).toBe(2);
});

test.each<[string, (line: string) => string[]]>([
  ["in one chunk", (line) => [`${line}\r\nnext\r\n`]],
  ["cut before its end", (line) => [line, "\r\nnext\r\n"]],
  ["cut inside its end", (line) => [`${line}\r`, "\nnext\r\n"]],
])("a line of the most bytes with a line end of Windows stays in one piece: %s", (_, chunksOf) => {
  const longest = "x".repeat(MAX_LINE_BYTES);

  expect(linesOf(...chunksOf(longest))).toEqual([longest, "next"]);
  expect(linesOf(...chunksOf(longest + longest))).toEqual([longest, `[…] ${longest}`, "next"]);
});

test("a carriage return that ends no line stays in a line that is cut there", () => {
  const longest = "x".repeat(MAX_LINE_BYTES);

  expect(linesOf(`${longest}\r`, "y\n")).toEqual([longest, "[…] \ry"]);
});
