import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { stillClock } from "../../../../support/test-clock.ts";
import { recordOutput } from "../../../../../src/service/engines/process/instances/log-output.ts";
import { MAX_LINE_BYTES } from "../../../../../src/service/workloads/runtime.ts";
import type { LogLine } from "../../../../../src/service/workloads/runtime.ts";
import { writeTo } from "../../../../../src/service/workloads/lifecycle/keep-running.ts";
import type { LogWriter } from "../../../../../src/service/workloads/logs/log-writer.ts";
import { until } from "../support/engine-world.ts";
import { openLogs } from "../../../workloads/logs/open-logs.ts";

const CHUNK = 64 * 1024;

const NOON = new Date("2026-11-20T12:00:00Z");

/** Writes the output to the log of a workload, as the engine does for the unit that runs it. */
function record(streams: readonly (Readable | null)[], workload: string, logs: LogWriter, clock = stillClock(NOON)) {
  const unit = { workload, instance: "web-0", container: 0, generation: 0 };
  return recordOutput(streams, writeTo(logs, unit), clock);
}

/** A program that writes as fast as it is read, and how much of it was read. */
function flood(chunk: Buffer) {
  const read = { bytes: 0 };
  const stream = new Readable({
    read() {
      read.bytes += chunk.length;
      this.push(chunk);
    },
  });
  return { stream, read };
}

async function storedLines({ db }: Awaited<ReturnType<typeof openLogs>>): Promise<number> {
  const { lines } = await db
    .selectFrom("days")
    .select((eb) => eb.fn.sum<number | null>(eb("lines", "+", eb.ref("dropped"))).as("lines"))
    .executeTakeFirstOrThrow();
  return lines ?? 0;
}

test("a program that writes empty lines is read no faster than they are stored", async () => {
  const opened = await openLogs({ day: { bytes: 100_000, lines: 10_000 } });
  const { stream, read } = flood(Buffer.alloc(CHUNK, "\n"));
  record([stream], "w", opened.logs);

  await until(async () => (await storedLines(opened)) > 10_000, "many lines to be stored");

  const unstored = read.bytes - (await storedLines(opened));
  stream.destroy();
  // What was read and waits: the chunk that is cut into lines, and the buffer of the stream.
  expect(unstored).toBeLessThan(4 * CHUNK);
});

test("a flood does not keep another program's lines out of the log", async () => {
  const { logs, read } = await openLogs();
  const floods = [flood(Buffer.alloc(CHUNK, "noise\n")), flood(Buffer.alloc(CHUNK, "\n"))];
  for (const { stream } of floods) record([stream], "noisy", logs);
  const quiet = new PassThrough();
  record([quiet], "w", logs);

  quiet.write("a quiet word\n");

  await until(async () => (await read("2026-11-20")).length > 0, "the quiet program's line");
  for (const { stream } of floods) stream.destroy();
  expect(await read("2026-11-20")).toEqual(["a quiet word"]);
});

test("a line without an end is stored in marked pieces, and memory does not grow with it", async () => {
  const { logs, read } = await openLogs({ day: { bytes: 200_000, lines: 10_000 } });
  const { stream } = flood(Buffer.alloc(CHUNK, "x"));
  record([stream], "w", logs);

  await until(async () => (await read("2026-11-20", 0, 1_000)).length > 5, "some pieces");

  const lines = await read("2026-11-20", 0, 3);
  stream.destroy();
  expect(lines).toEqual(Array.from({ length: 3 }, () => `[…] ${"x".repeat(MAX_LINE_BYTES)}`));
});

test("invalid UTF-8 does no harm", async () => {
  const { logs, read } = await openLogs();
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => (index === 10 || index === 13 ? 32 : index)));
  const output = record([Readable.from([bytes, Buffer.from("\n\ud800\nplain\n")])], "w", logs);

  await output.ended(() => false);

  const lines = await read("2026-11-20");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain("ABCDEFG");
  expect(lines.at(-1)).toBe("plain");
});

test("the last words of a program are all in the log, also when they are many", async () => {
  const { logs, read } = await openLogs({ day: { bytes: 10_000_000, lines: 100_000 } });
  const words = Array.from({ length: 8_000 }, (_, index) => `${index}\n`).join("");
  const output = record([Readable.from([Buffer.from(words)])], "w", logs);

  await output.ended(() => false);

  expect(await read("2026-11-20", 0, 1)).toEqual(["7999"]);
});

test("the last words of a program are stored also when storing the lines before takes longer than the usual wait", async () => {
  const stored: string[] = [];
  const leftover = Buffer.from(`${"\n".repeat(50)}why it failed\n`);
  const clock = stillClock(NOON);
  const write = async (line: LogLine) => {
    await clock.sleep(100);
    stored.push(line.text);
  };
  const output = recordOutput([Readable.from([leftover])], write, clock);

  const over = output.ended(() => false);
  await clock.passMs(6_000);
  await over;

  expect(stored.at(-1)).toBe("why it failed");
});

test("the end of a program that is stopped does not wait until all of its lines are stored", async () => {
  const stored: string[] = [];
  const write = (line: LogLine) => {
    stored.push(line.text);
    return new Promise<void>(() => undefined);
  };
  const clock = stillClock(NOON);
  const output = recordOutput([Readable.from([Buffer.from("first\nlast\n")])], write, clock);

  const over = output.ended(() => true);
  await clock.passMs(2_100);
  await over;

  expect(stored).toEqual(["first"]);
});

test("a silent pipe held open by a descendant doesn't delay the end", async () => {
  const { logs } = await openLogs();
  const clock = stillClock(NOON);
  const output = record([new PassThrough()], "w", logs, clock);

  const over = output.ended(() => false);
  await clock.passMs(600);

  await expect(over).resolves.toBeUndefined();
});

test("a broken pipe, even after the end, affects only the output", async () => {
  const { logs, read } = await openLogs();
  const stream = new PassThrough();
  const output = record([stream, null], "w", logs);
  stream.write("before\n");
  await until(async () => (await read("2026-11-20")).length > 0, "the line");

  stream.destroy(new Error("EIO"));
  await output.ended(() => false);
  stream.emit("error", new Error("EIO again"));

  expect(await read("2026-11-20")).toEqual(["before"]);
});
