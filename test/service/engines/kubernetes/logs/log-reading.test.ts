import { describe, expect, test } from "vitest";
import type { PodLogOptions } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import type { ContainerSource } from "../../../../../src/service/engines/kubernetes/logs/log-sources.ts";
import { readLog, type Reading } from "../../../../../src/service/engines/kubernetes/logs/log-reading.ts";
import { type Position, MAX_LINE_BYTES } from "../../../../../src/service/engines/kubernetes/logs/log-lines.ts";
import { openLogs } from "../../../workloads/logs/open-logs.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const source: ContainerSource = {
  workload: "w",
  namespace: "team",
  pod: "web-1",
  podUid: "p1",
  container: "app",
  state: { run: 0, is: "running" },
  isLeaving: false,
};

/** A line as the kubelet sends it: `second` of the minute, with its nanoseconds. */
const line = (second: number, text: string, nanos = 0) =>
  `2026-11-20T12:00:${String(second).padStart(2, "0")}.${String(nanos).padStart(9, "0")}Z ${text}\n`;

/** A log store, and a container whose log is `file`; the kubelet leaves out lines before `sinceTime`. */
async function world() {
  const { logs, read } = await openLogs();
  const asked: PodLogOptions[] = [];
  let position: Position | undefined;
  const reading = async (file: string | Buffer, more: Partial<Reading> = {}) => {
    const chunks = async function* (since: string | undefined): AsyncIterable<Buffer> {
      const lines = typeof file === "string" ? Buffer.from(sinceOnly(file, since)) : file;
      // Chunks end anywhere, also inside of a character.
      for (let at = 0; at < lines.length; at += 7) yield lines.subarray(at, at + 7);
    };
    await readLog(
      {
        api: {
          async podLog(options) {
            asked.push(options);
            return chunks(options.sinceTime);
          },
        },
        logs,
        clock: stillClock(),
        ensureLeading: () => {},
        turnMs: 60_000,
      },
      {
        source,
        after: position,
        run: 0,
        which: "rest",
        wasFollowed: false,
        signal: new AbortController().signal,
        onLine: (next) => (position = next),
        idleMs: () => 60_000,
        onTurnOver: () => undefined,
        onCaughtUp: () => undefined,
        ...more,
      },
    );
    return await read("2026-11-20", 0, 1_000);
  };
  return { reading, asked };
}

function sinceOnly(file: string, since: string | undefined): string {
  if (since === undefined) return file;
  const from = Date.parse(since);
  return file
    .split(/(?<=\n)/u)
    .filter((each) => Date.parse(each.slice(0, 19) + "Z") >= from)
    .join("");
}

describe("reading the log of a container", () => {
  test("again repeats no line, also where many have the same time", async () => {
    const { reading, asked } = await world();
    const file = line(10, "a") + line(10, "b") + line(10, "c", 5) + line(10, "d", 5);
    await reading(file);

    const lines = await reading(file + line(10, "e", 5) + line(11, "f"));

    expect(lines).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(asked[1]?.sinceTime).toBe("2026-11-20T12:00:08Z");
  });

  test("keeps lines of stdout and stderr that are a little out of order", async () => {
    const { reading } = await world();
    const file = line(10, "a", 900) + line(10, "b", 100) + line(9, "c", 999_999_999) + line(10, "d", 800);
    await reading(file);

    expect(await reading(file + line(10, "e", 850))).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("says that the file was rotated when the last line that was read is no longer in it", async () => {
    const { reading } = await world();
    await reading(line(10, "before"));

    expect(await reading(line(30, "after") + line(31, "and on"))).toEqual([
      "before",
      "[gantry] the container's log was rotated here: lines before the next one can be missing",
      "after",
      "and on",
    ]);
  });

  test("of a new run says nothing of the kind: it has a new file", async () => {
    const { reading } = await world();
    await reading(line(10, "before"));

    expect(await reading(line(30, "after"), { run: 1 })).toEqual(["before", "after"]);
  });

  test("cuts very long lines and says by how much, and replaces what isn't UTF-8", async () => {
    const { reading } = await world();

    const lines = await reading(
      Buffer.concat([
        Buffer.from(line(10, "🟢 ok\r")),
        Buffer.from("2026-11-20T14:00:11.5+02:00 "),
        Buffer.from([0xff, 0x61, 0x0a]),
        Buffer.from(line(12, "x".repeat(MAX_LINE_BYTES + 1_000))),
      ]),
    );

    expect(lines.slice(0, 2)).toEqual(["🟢 ok", "\uFFFDa"]);
    expect(lines[2]).toMatch(/^x{65536} \[gantry\] 1000 more bytes of this line were cut$/u);
  });

  test("waits for the end of a line that a running container is writing", async () => {
    const { reading } = await world();
    await reading(`${line(10, "a")}2026-11-20T12:00:11.000000000Z hal`, { which: "follow" });

    const lines = await reading(`${line(10, "a")}2026-11-20T12:00:11.000000000Z half and whole`);

    expect(lines).toEqual(["a", "half and whole"]);
  });

  test("shows what the kubelet wrote in place of lines", async () => {
    const { reading } = await world();

    expect(await reading("a text that has no time")).toEqual([
      "[gantry] Kubernetes wrote in place of lines: a text that has no time",
    ]);
  });

  test("says that lines can be missing of a run whose log is deleted, unless it was followed to its end", async () => {
    const { reading } = await world();
    const deleted = "unable to retrieve container logs for containerd://1234";

    expect(await reading(deleted, { wasFollowed: true })).toEqual([]);
    expect(await reading(deleted)).toEqual([
      "[gantry] lines can be missing: Kubernetes deleted the log of a run before it was read",
    ]);
  });

  test("says that the clock of the node was set back", async () => {
    const { reading } = await world();

    const lines = await reading(line(50, "a") + line(20, "b") + line(21, "c"));

    expect(lines.filter((each) => each.startsWith("[gantry]"))).toEqual([
      "[gantry] the clock of the node was set back to 2026-11-20T12:00:20.000Z: lines from then on can be missing",
    ]);
    expect(lines.filter((each) => !each.startsWith("[gantry]"))).toEqual(["a", "b", "c"]);
  });

  test("a log whose file isn't there yet is an error that is tried again, not a line", async () => {
    const { reading } = await world();
    const text = 'failed to try resolving symlinks in path "/var/log/pods/web-1/app/0.log": no such file or directory';

    await expect(reading(Buffer.from(text))).rejects.toThrow("failed to try resolving symlinks");
    expect(await reading(line(1, "started"))).toEqual(["started"]);
  });
});
