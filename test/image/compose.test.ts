import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { until } from "../support/until.ts";
import { commandsUnder, settingsUnder } from "./support/documented.ts";
import { NETWORK, openTerminal, type Terminal } from "./support/terminal.ts";

const daemon = inject("imageDaemon");
const why = "missing" in daemon ? ` (${daemon.missing})` : "";

const slack = { SLACK_BOT_TOKEN: "xoxb-of-the-image-tests", SLACK_SIGNING_SECRET: "0123456789abcdef" };

describe.skipIf("missing" in daemon)(`the bot in a container, as documented${why}`, () => {
  let terminal: Terminal;
  beforeAll(async () => {
    terminal = await openTerminal("host" in daemon ? daemon.host : "");
    await terminal.run("docker build -t gantry .");
    // What real Slack and the workload API of a company would be.
    const secrets = Object.entries(slack).map(([name, value]) => `-e ${name}=${value}`);
    await terminal.run(
      `docker run --detach --name slack -v ${terminal.projectDir}/test:/app/test:ro ${secrets.join(" ")} --entrypoint node gantry test/image/support/slack.ts`,
    );
    terminal.write(".env", await settings());
    // Adds only the network in which these two are.
    terminal.write(
      "compose.override.yaml",
      `networks: { default: { name: ${NETWORK}, external: true } }\nservices: { gantry: { build: { context: ., network: host } } }\n`,
    );
  });
  afterAll(() => terminal?.close());

  /** `.env` as documented, with values. */
  async function settings(): Promise<string> {
    const [start = "", log = "", ...rest] = commandsUnder("The workload API alone");
    expect(rest).toEqual([]);
    await terminal.run(start);
    let token: string | undefined;
    await until(async () => {
      token = /Authorization: token (\S+?)'/u.exec(await terminal.run(log))?.[1];
      return token !== undefined;
    });
    const values = {
      ...slack,
      WORKLOAD_API_URL: "http://workload-api:3002",
      WORKLOAD_API_USERNAME: "gantry",
      WORKLOAD_API_TOKEN: token,
    };
    expect(settingsUnder("With real Slack")).toEqual(Object.keys(values));
    const all = { ...values, SLACK_API_URL: "http://slack:3001/api/" };
    return Object.entries(all)
      .map(([name, value]) => `${name}=${value}\n`)
      .join("");
  }

  const say = (text: string) => terminal.run(`docker exec slack gantry say ${text}`);
  const isReady = async (): Promise<boolean> => {
    const { status } = await terminal.get(3000, "/readyz").catch(() => ({ status: 0 }));
    return status === 200;
  };
  const inspect = async (container: string, format: string) =>
    (await terminal.run(`docker inspect ${container} --format '${format}'`)).trim();

  test("docker run: restarts web after an approval, and ends in time", async () => {
    const [start = "", ...rest] = commandsUnder("With real Slack");
    expect(rest).toEqual([]);

    await terminal.run(start);
    await until(isReady);

    await say(`"/gantry create service web --image gantry/hello-web"`);
    await until(async () => /web · running\s+1 of 1/u.test(await say(`"/gantry list"`)));
    await say(`"/gantry restart web"`);
    await say("--as alex --click Approve");
    await until(async () => (await say(`"/gantry history"`)).includes("restarted"));
    expect(await inspect("gantry", "{{.HostConfig.ReadonlyRootfs}}")).toBe("true");
    await terminal.run("docker stop gantry");
    expect(await inspect("gantry", "{{.State.ExitCode}}")).toBe("0");
    await terminal.run("docker rm gantry");
  });

  test("docker compose: the same with PostgreSQL, and again after all of it was restarted", async () => {
    for (const command of commandsUnder("With PostgreSQL")) await terminal.run(command);
    await until(isReady);

    await say(`"/gantry create job hello --image gantry/batch -- 2 --delay 10"`);
    await until(async () => (await say(`"/gantry list"`)).includes("hello"));
    for (const name of ["gantry", "postgres"]) {
      const [id = ""] = (await terminal.run(`docker compose ps --quiet ${name}`)).split("\n");
      expect(await inspect(id, "{{.HostConfig.ReadonlyRootfs}} {{.State.Running}}")).toBe("true true");
    }
    await terminal.run("docker compose restart");
    await until(isReady);
    expect(await say(`"/gantry history"`)).toContain("hello");
    const statements = await terminal.run(
      `docker compose exec -T postgres psql --username gantry --tuples-only --command "select count(*) from delivery"`,
    );
    expect(Number(statements.trim())).toBeGreaterThan(0);
  });
});
