import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { stillClock, testClock } from "../../../support/test-clock.ts";
import { until } from "../../../support/until.ts";
import { watchHealth } from "../../../../src/service/engines/docker/daemon/daemon-health.ts";
import { labelsOf } from "../../../../src/service/engines/docker/container-spec.ts";
import { Away } from "../../../../src/service/workloads/runtime.ts";
import { exitClause } from "../../../../src/service/workloads/lifecycle/exit.ts";
import { connected, inspected, labels, name, owner } from "./support/connected-daemon.ts";
import { type FakeAnswer, fakeDaemon } from "./support/fake-daemon.ts";

/** A daemon with one container, which tests end, and whose streams of events they break. */
async function daemonWithOne(answers: Record<string, FakeAnswer> = {}) {
  const streams: ServerResponse[] = [];
  let status = "running";
  let isMade = false;
  const daemon = await fakeDaemon({
    "/networks/create": [201, { Id: "network" }],
    "/containers/create": () => {
      isMade = true;
      return [201, { Id: "c1" }];
    },
    "/containers/c1/start": [204, ""],
    "/containers/c1/json": () => [200, inspected("c1", status)],
    "/containers/json": () => {
      const listed = { Id: "c1", Names: [`/${name}`], Labels: labelsOf(owner, labels), State: status };
      return [200, isMade ? [listed] : []];
    },
    "/events": (response) => {
      streams.push(response);
      response.writeHead(200).flushHeaders();
    },
    ...answers,
  });
  const clock = testClock();
  const connection = await connected(daemon, clock);
  onTestFinished(async () => {
    connection[Symbol.dispose]();
    await daemon[Symbol.asyncDispose]();
  });
  const listens = () =>
    until(() => {
      clock.passMs(500);
      return streams.length > 0 && connection.watch.session() !== undefined;
    });
  await listens();
  return {
    daemon,
    connection,
    end: () => void (status = "exited"),
    /** As a restart of the daemon does it, and a proxy in between. */
    breakEvents: async (): Promise<void> => {
      for (const stream of streams.splice(0)) stream.destroy();
      await until(() => connection.watch.session() === undefined);
    },
    listens,
    /** How the started container ended; its log isn't read here. */
    exit: () => connection.watch.ended("c1", undefined),
  };
}

const away = { code: 0, surroundings: "Docker didn't answer" };

describe("an end", () => {
  test("of which the running daemon tells is the container's own", async () => {
    const { connection, end, exit } = await daemonWithOne();
    await connection.start();

    end();
    await connection.compare();

    expect(await exit()).toEqual({ code: 0 });
  });

  test.each(["as soon as it answers", "after its events are followed again"])(
    "that is found %s, after an outage, says nothing about the container",
    async (when) => {
      const { connection, end, exit, breakEvents, listens } = await daemonWithOne();
      await connection.start();

      await breakEvents();
      end();
      if (when !== "as soon as it answers") await listens();
      await connection.compare();

      expect(await exit()).toEqual(away);
      expect(exitClause(await exit())).toBe("ended while Docker didn't answer");
    },
  );

  test("after an outage that the container outlived is its own again", async () => {
    const { connection, end, exit, breakEvents, listens } = await daemonWithOne();
    await connection.start();

    await breakEvents();
    await listens();
    await connection.compare();
    end();
    await connection.compare();

    expect(await exit()).toEqual({ code: 0 });
  });

  test("right after a start is the container's own, unless the daemon went in between", async () => {
    const quick = await daemonWithOne();
    quick.end();
    await quick.connection.start();
    expect(await quick.exit()).toEqual({ code: 0 });

    const cut = await daemonWithOne({
      "/containers/c1/start": (response) => void cut.breakEvents().then(() => response.writeHead(204).end()),
    });
    cut.end();
    await cut.connection.start();
    expect(await cut.exit()).toEqual(away);
  });

  test("of a container whose start was lost says nothing: nobody knows what the daemon did to it", async () => {
    let creations = 0;
    const { daemon, connection, exit } = await daemonWithOne({
      "/containers/create": () => {
        creations += 1;
        return creations === 1 ? [201, { Id: "c1" }] : [409, { message: "the name is in use" }];
      },
      "/containers/c1/start": (response) => void response.destroy(),
      "/containers/c1/json": [200, inspected("c1", "created")],
      [`/containers/${name}/json`]: [200, inspected("c1", "exited")],
    });
    await expect(connection.start()).rejects.toBeInstanceOf(Away);

    daemon.answers["/containers/c1/json"] = [200, inspected("c1", "exited")];
    await connection.start();

    expect(await exit()).toEqual(away);
  });
});

describe("a failed start", () => {
  const refused = [500, { message: "no such device" }] as const;
  const whyOf = async ({ connection }: Pick<Awaited<ReturnType<typeof daemonWithOne>>, "connection">) =>
    await connection.start().then(
      () => undefined,
      (error: unknown) => error,
    );

  test("says something about the container where the daemon runs on", async () => {
    const error = await whyOf(await daemonWithOne({ "/containers/c1/start": refused }));

    expect(error).not.toBeInstanceOf(Away);
    expect(error).toMatchObject({ message: "no such device" });
  });

  test("says nothing about it where the daemon went meanwhile, whatever that answered", async () => {
    const gone = await daemonWithOne({
      "/containers/c1/start": (response) =>
        void gone.breakEvents().then(() => response.writeHead(500).end(JSON.stringify(refused[1]))),
    });

    expect(await whyOf(gone)).toEqual(new Away("Docker was away: no such device"));
  });

  test.each<[string, Record<string, FakeAnswer>, string]>([
    [
      "the daemon doesn't answer any more, although its events haven't broken yet",
      { "/containers/c1/start": refused, "/_ping": (response) => void response.destroy() },
      "Docker was away: no such device",
    ],
    [
      "something in front of the daemon refused",
      { "/containers/c1/start": [503, refused[1]] },
      "Docker didn't answer: no such device",
    ],
  ])("says nothing about it where %s", async (_, answers, why) => {
    expect(await whyOf(await daemonWithOne(answers))).toEqual(new Away(why));
  });
});

test("the time that a daemon has answered stands still during an outage, and an answer that comes late counts little", async () => {
  const clock = stillClock();
  const about = {
    kind: "docker",
    version: "1",
    memoryMib: 1,
    limitsMemory: true,
    dataFolder: undefined,
    isRootless: false,
  } as const;
  let ping = async (): Promise<void> => undefined;
  const health = watchHealth({
    clock,
    daemon: { ping: () => ping(), about: async () => about },
    about,
    onEvent: () => undefined,
  });
  onTestFinished(() => health.close());
  await clock.passMs(10_000);
  const before = health.answeredMs();

  ping = async () => await Promise.reject(new Error("nothing listens there"));
  await clock.passMs(60_000);
  const during = health.answeredMs();
  ping = async () => undefined;
  await clock.passMs(2_000);
  const after = health.answeredMs();
  ping = async () => await clock.sleep(9_000);
  await clock.passMs(10_000);

  expect(before).toBe(10_000);
  expect(during).toBe(before);
  expect(after - during).toBe(1_000);
  expect(health.answeredMs() - after).toBeLessThanOrEqual(3_000);
});
