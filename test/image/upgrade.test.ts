import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { until } from "../support/until.ts";
import { commandsUnder } from "./support/documented.ts";
import { archiveOf, openTerminal, type Terminal } from "./support/terminal.ts";

const daemon = inject("imageDaemon");
/** The last one before the image was built from two stages and the engine on Docker was added. */
const EARLIER = "13915797fa53e7cca8adde2f9075b76dd4a47608";
const archive = "missing" in daemon ? undefined : archiveOf(EARLIER);
const missing =
  "missing" in daemon ? daemon.missing : archive === undefined ? `skipped: needs the commit ${EARLIER}` : undefined;
const why = missing === undefined ? "" : ` (${missing})`;

describe.skipIf(missing !== undefined)(`a new image on the volume of an earlier one${why}`, () => {
  let terminal: Terminal;
  beforeAll(async () => {
    terminal = await openTerminal("host" in daemon ? daemon.host : "");
    terminal.write("earlier.tar", archive ?? "");
    await terminal.run("docker build -t gantry - < earlier.tar");
  });
  afterAll(() => terminal?.close());

  // The earlier image has no `gantry`.
  const say = (text: string) => terminal.run(`docker exec gantry node src/bin/say.ts ${text}`);
  const start = async () => {
    await terminal.run("docker run --detach --name gantry -v gantry:/data gantry");
    await until(async () => (await terminal.run("docker logs gantry")).includes("Press Ctrl-C to stop"));
  };

  test("has its workloads and history, and a request that waited is approved and carried out", async () => {
    await start();
    await say(`"/gantry scale web 3"`);
    await until(async () => /web +running +3\/3/u.test(await say(`"/gantry list"`)));
    await say(`"/gantry restart web"`);

    for (const command of commandsUnder("Upgrade")) await terminal.run(command);
    await start();

    await until(async () => /web · running\s+3 of 3/u.test(await say(`"/gantry list"`)));
    await say("--as alex --click Approve");
    await until(async () => (await say(`"/gantry history"`)).includes("restarted"));
    expect(await say(`"/gantry history"`)).toContain("scale");
  });
});
