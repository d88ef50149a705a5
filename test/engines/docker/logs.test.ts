import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { machineClock } from "../../../src/platform/clock.ts";
import { addressOf } from "../../../src/service/engines/docker/daemon/daemon-connection.ts";
import { daemonAt, LOG_CONFIG } from "../../../src/service/engines/docker/daemon/daemon-client.ts";
import { followUnitLog } from "../../../src/service/engines/docker/logs/unit-log.ts";
import { missingFor } from "../../support/daemons/daemon-command.ts";
import { ownDaemon } from "../../support/daemons/own-daemon.ts";
import { daemonOf, testDaemons, type TestDaemon } from "../../support/docker.ts";
import { until } from "../../support/until.ts";

/** Containers that count, and what of it was read. */

const label = `gantry.test.logs-${randomBytes(4).toString("hex")}`;

async function run(daemon: TestDaemon, script: string, config = LOG_CONFIG.Config): Promise<string> {
  const body = {
    Image: daemon.image,
    Cmd: ["sh", "-c", script],
    Labels: { [label]: "1" },
    HostConfig: { NetworkMode: "none", LogConfig: { ...LOG_CONFIG, Config: config } },
  };
  const { Id: id } = (await daemon.must({ method: "POST", path: "/containers/create", body })) as { Id: string }; // Docker's API
  await daemon.must({ method: "POST", path: `/containers/${id}/start` });
  return id;
}

async function hasEnded(daemon: TestDaemon, id: string): Promise<boolean> {
  const { body } = await daemon.call({ method: "GET", path: `/containers/${id}/json` });
  const { State } = body as { State?: { Running: boolean } }; // Docker's API
  return State?.Running === false;
}

type Log = {
  readonly texts: string[];
  cursor: string | undefined;
  /** Reads on from the cursor. */
  readonly read: () => { readonly leave: () => Promise<void>; readonly end: () => Promise<void> };
};

async function logOf(daemon: TestDaemon, container: string): Promise<Log> {
  const api = daemonAt(await addressOf(daemon.host, { isVerified: false }), machineClock);
  const log: Log = {
    texts: [],
    cursor: undefined,
    read() {
      const [leaving, ended] = [new AbortController(), new AbortController()];
      const over = followUnitLog(
        { clock: machineClock, daemon: api },
        {
          container,

          after: log.cursor,
          write({ text, cursor }) {
            log.texts.push(text);
            log.cursor = cursor ?? log.cursor;
            return undefined;
          },
          signal: leaving.signal,
          ended: ended.signal,
        },
      );
      const finish = async (how: AbortController) => {
        how.abort();
        await over;
      };
      return { leave: () => finish(leaving), end: () => finish(ended) };
    },
  };
  return log;
}

function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
}

const countTo = (count: number) => `for i in $(seq 1 ${count / 10}); do seq $((i*10-9)) $((i*10)); usleep 10000; done`;

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`logs of containers: ${daemon.title}`, () => {
    afterAll(() => daemon.removeWith(label));

    test("all lines come once and in order, also long ones, invalid bytes and a last one without an end", async () => {
      const script = String.raw`seq 1 1000; head -c 40000 /dev/zero | tr '\0' x; echo; printf 'a\377b\r\n\n'; printf part; sleep 0.2; printf ' two\nlast'`;
      const container = await run(daemon, script);
      const log = await logOf(daemon, container);
      const reading = log.read();
      await until(() => hasEnded(daemon, container));
      await reading.end();

      const long = log.texts.slice(1000, 1003).map((text) => text.replace("[…] ", ""));
      expect(log.texts.slice(0, 1000)).toEqual(numbers(1, 1000));
      expect(long.join("")).toBe("x".repeat(40_000));
      expect(log.texts.slice(1003)).toEqual(["a\uFFFDb", "", "part two", "last"]);
    });

    test("a line as long as the daemon's buffer is one line, also with a line end of Windows", async () => {
      const sizes = [8_192, 16_383, 16_384, 16_385, 32_768];
      const script = sizes
        .flatMap((size) => [String.raw`\n`, String.raw`\r\n`].map((end) => ({ size, end })))
        .map(({ size, end }) => String.raw`head -c ${size} /dev/zero | tr '\0' x; printf '${end}'; echo next`)
        .join("; ");
      const container = await run(daemon, script);
      const log = await logOf(daemon, container);
      const reading = log.read();
      await until(() => hasEnded(daemon, container));
      await reading.end();

      // A piece of a longer line belongs to the one before it.
      const lengths = log.texts
        .join("\n")
        .replaceAll("\n[…] ", "")
        .split("\n")
        .map((text) => (text === "next" ? text : text.length));
      expect(lengths).toEqual(sizes.flatMap((size) => [size, "next", size, "next"]));
      expect(log.texts.filter((text) => text.includes("\r") || text === "")).toEqual([]);
    });

    test("a service that restarts again and again loses and doubles none", async () => {
      const container = await run(daemon, countTo(3000));
      const log = await logOf(daemon, container);
      for (let restarts = 0; restarts < 20; restarts += 1) {
        const before = log.texts.length;
        const reading = log.read();
        await until(async () => log.texts.length > before || (await hasEnded(daemon, container)));
        await reading.leave();
      }
      const reading = log.read();
      await until(() => hasEnded(daemon, container));
      await reading.end();

      expect(log.texts).toEqual(numbers(1, 3000));
    });

    test("rotated files double nothing, and lose nothing with Docker", async () => {
      const script = `trap go=1 USR1; echo 0; until [ "$go" ]; do usleep 10000; done; ${countTo(3000)}`;
      const container = await run(daemon, script, { "max-size": "50k", "max-file": "3" });
      const log = await logOf(daemon, container);
      const reading = log.read();
      await until(() => log.texts.length === 1);
      await daemon.must({ method: "POST", path: `/containers/${container}/kill?signal=USR1` });
      await until(() => hasEnded(daemon, container));
      await reading.end();

      const lines = log.texts.filter((text) => !text.startsWith("[gantry]"));
      expect(new Set(lines).size).toBe(lines.length);
      // Podman begins its only file again, and its follow skips what it hasn't read of it.
      if (daemon.kind === "docker") expect(log.texts).toEqual(numbers(0, 3000));
    });

    test("a service that was away says that lines are missing which the daemon deleted meanwhile", async () => {
      const script = `trap go=1 USR1; echo 0; until [ "$go" ]; do usleep 10000; done; ${countTo(3000)}`;
      const container = await run(daemon, script, { "max-size": "50k", "max-file": "1" });
      const log = await logOf(daemon, container);
      const before = log.read();
      await until(() => log.texts.length === 1);
      await before.leave();
      await daemon.must({ method: "POST", path: `/containers/${container}/kill?signal=USR1` });
      await until(() => hasEnded(daemon, container));
      await log.read().end();

      expect(log.texts.slice(0, 2)).toEqual([
        "0",
        "[gantry] lines before the next one can be missing: the container's log was rotated before they were read",
      ]);
      expect(log.texts.slice(2)).toEqual(numbers(3003 - log.texts.length, 3000));
    });

    const notHere = daemon.missing ?? missingFor(daemon.kind);
    test.skipIf(notHere !== undefined)(
      `a daemon that is killed and started again loses none${notHere ?? ""}`,
      async () => {
        const own = ownDaemon(daemon.kind, { keepsContainers: true });
        try {
          await own.start();
          const itself = await daemonOf(own.kind, own.host);
          const container = await run(itself, countTo(3000));
          const log = await logOf(itself, container);
          const reading = log.read();
          await until(() => log.texts.length > 100);
          await own.end("SIGKILL");
          await own.start();
          await until(() => hasEnded(itself, container));
          await reading.end();

          expect(log.texts).toEqual(numbers(1, 3000));
        } finally {
          own.remove();
        }
      },
    );
  });
}
