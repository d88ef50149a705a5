import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { until } from "../support/until.ts";
import { commandsUnder } from "./support/documented.ts";
import { NODE_IMAGE } from "./support/stand-ins.ts";
import { openTerminal, type Terminal } from "./support/terminal.ts";

const daemon = inject("imageDaemon");
const why = "missing" in daemon ? ` (${daemon.missing})` : "";

describe.skipIf("missing" in daemon)(`the image${why}`, () => {
  let terminal: Terminal;
  beforeAll(async () => {
    terminal = await openTerminal("host" in daemon ? daemon.host : "");
    const [build = "", start = ""] = commandsUnder("Try it in a container");
    await terminal.run(build);
    await terminal.run(start);
    await until(async () => (await terminal.run("docker logs gantry")).includes("Press Ctrl-C to stop"));
  });
  afterAll(() => terminal?.close());

  const inside = (command: string) => terminal.run(`docker exec gantry sh -c '${command}'`);
  const inspect = async (format: string) => (await terminal.run(`docker inspect gantry --format '${format}'`)).trim();

  test("shows the playground at the documented address", async () => {
    const { status, body } = await terminal.get(3001, "/");

    expect(status).toBe(200);
    expect(body).toContain("<title>");
  });

  test("answers a command that is typed in it, as documented", async () => {
    const [, , say = ""] = commandsUnder("Try it in a container");

    expect(await terminal.run(say)).toMatch(/web · running\s+2 of 2/u);
  });

  test("says at its start how to type in it", async () => {
    const [, , say = ""] = commandsUnder("Try it in a container");

    expect(await terminal.run("docker logs gantry")).toContain(`  ${say}\n`);
  });

  test("runs as the user node, and writes only its data", async () => {
    expect(await inside("id --user --name")).toBe("node\n");
    expect(
      await inside(
        "find / -xdev -path /proc -prune -o -writable -type f -print 2>/dev/null | grep -v -e ^/data/ -e ^/home/node/ || true",
      ),
    ).toBe("");
  });

  test("the set-up writes settings that the next container reads, and that only its user may read", async () => {
    const run = "docker run --rm -v settings:/data";
    const tokens = "-e SLACK_BOT_TOKEN=xoxb-1-2-abc -e SLACK_APP_TOKEN=xapp-1-A1-2-abc";

    const asked = await terminal.run(`${run} gantry setup 2>&1 || true`);
    const said = await terminal.run(`${run} ${tokens} gantry setup --workloads demo --skip-checks`);

    expect(asked).toContain("--transport socket|http is missing");
    expect(said).toContain("docker exec gantry gantry doctor");
    expect(await terminal.run(`${run} --entrypoint stat gantry -c '%a %U' /data/.env`)).toBe("600 node\n");
    expect(await terminal.run(`${run} --network none gantry doctor || true`)).toContain("Slack");
    await terminal.run("docker volume rm settings");
  });

  test("becomes healthy, by its own check", async () => {
    await until(async () => (await inspect("{{.State.Health.Status}}")) === "healthy");

    expect(await inspect("{{.State.Health.FailingStreak}}")).toBe("0");
  });

  test("adds less than 80 MB to the Node that it is built on", async () => {
    const size = async (name: string) =>
      Number(await terminal.run(`docker image inspect ${name} --format '{{.Size}}'`));

    expect((await size("gantry")) - (await size(NODE_IMAGE))).toBeLessThan(80_000_000);
  });

  test("builds again in a moment when only sources changed", async () => {
    terminal.write("src/new.ts", "export const nothing = 0;\n");

    const said = await terminal.run("docker build -t gantry-changed .");

    expect(said.split("Using cache").length).toBeGreaterThan(8);
    expect(said).not.toContain("added ");
  });

  test("says of which version and commit it is, when it is built with them", async () => {
    const known = { VERSION: "1.2.3", REVISION: "abc123", SOURCE: "https://git.example.com/gantry" };
    const args = Object.entries(known).map(([name, value]) => `--build-arg ${name}=${value}`);

    await terminal.run(`docker build -t gantry-labelled ${args.join(" ")} .`);

    const labels = await terminal.run("docker image inspect gantry-labelled --format '{{json .Config.Labels}}'");
    expect(JSON.parse(labels)).toEqual({
      "org.opencontainers.image.title": "Gantry",
      "org.opencontainers.image.description": "Run container workloads from Slack",
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.version": known.VERSION,
      "org.opencontainers.image.revision": known.REVISION,
      "org.opencontainers.image.source": known.SOURCE,
    });
  });

  test("ends cleanly at docker stop, before its time is over", async () => {
    const [, , , stop = "", remove = "", ...rest] = commandsUnder("Try it in a container");
    expect(rest).toEqual([]);

    await terminal.run(stop);

    expect(await inspect("{{.State.ExitCode}} {{.State.OOMKilled}}")).toBe("0 false");
    await terminal.run(remove);
    expect(await terminal.run("docker ps --all --quiet; docker volume ls --quiet")).toBe("");
  });
});
