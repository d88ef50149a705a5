import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { until } from "../support/until.ts";
import { commandsUnder } from "./support/documented.ts";
import { NODE_IMAGE } from "./support/stand-ins.ts";
import { openTerminal, type Terminal } from "./support/terminal.ts";

const daemon = inject("imageDaemon");
const why = "missing" in daemon ? ` (${daemon.missing})` : "";

describe.skipIf("missing" in daemon)(`Gantry in a container, running containers beside it${why}`, () => {
  let terminal: Terminal;
  beforeAll(async () => {
    terminal = await openTerminal("host" in daemon ? daemon.host : "");
    await terminal.run("docker build -t gantry .");
  });
  afterAll(() => terminal?.close());

  const say = (text: string) => terminal.run(`docker exec gantry gantry say '${text}'`);
  const isUp = async () => (await terminal.run("docker logs gantry")).includes("Press Ctrl-C to stop");
  const shows = async (pattern: RegExp) => {
    // Nothing answers while it starts.
    await until(async () => pattern.test(await say("/gantry list").catch(() => "")));
  };

  test("starts a service, which runs on while Gantry is stopped and is found again", async () => {
    const [start = "", ...rest] = commandsUnder("Containers beside it");
    expect(rest).toEqual([]);
    const running = () => terminal.run("docker ps --quiet --no-trunc --filter label=gantry.owner");

    await terminal.run(start);
    await until(isUp);
    await say(`/gantry create service web --image ${NODE_IMAGE} -- sleep 3600`);
    // Nothing runs this image yet.
    await terminal.run("docker exec gantry gantry say --as alex --click Approve");
    await shows(/web · running\s+1 of 1/u);
    const container = await running();

    await terminal.run("docker stop gantry");
    expect(await running()).toBe(container);
    await terminal.run("docker start gantry");
    await shows(/web · running\s+1 of 1/u);
    expect(await running()).toBe(container);
    expect(container.trim().split("\n")).toHaveLength(1);
  });
});
