import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../../src/bot/compose/config.ts";
import { setup, readSetupOptions } from "../../../../src/bot/compose/setup/setup.ts";
import { unattended } from "../../../../src/bot/compose/setup/asker.ts";
import { variablesIn } from "../../../../src/bot/compose/setup/env-file.ts";
import { listen } from "../../../../src/platform/http/listen.ts";
import { type LocalSlack, openLocalSlack } from "../../../../src/bot/compose/stand-ins/local-slack.ts";

let slack: LocalSlack;
/** A workload API with one user, and what it was asked for. */
let api: { readonly port: number; readonly close: () => Promise<void> };

beforeAll(async () => {
  const options = { host: "127.0.0.1", port: 0, command: "/gantry", botPort: () => 1 };
  slack = await openLocalSlack({ ...options, transport: "socket" });
  const answer = ({ headers }: Request): Response =>
    headers.get("authorization") === "token dana-token"
      ? Response.json({ services: [] })
      : Response.json({ message: "unknown token" }, { status: 401 });
  api = await listen(async (request) => answer(request), { host: "127.0.0.1", port: 0, variable: "PORT" });
});
afterAll(async () => {
  await slack.close();
  await api.close();
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "gantry-setup-test-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** The answers for a healthy workspace, by option. */
function healthy(): Record<string, string> {
  const { access } = slack;
  return {
    "slack-api-url": access.apiUrl,
    "bot-token": access.botToken,
    "app-token": access.transport.kind === "socket" ? access.transport.appToken : "",
    "workload-api-url": `http://127.0.0.1:${api.port}`,
    "workload-api-username": "dana",
    "workload-api-token": "dana-token",
    region: "beijing1",
  };
}

function fail(): never {
  throw new Error("a question without an answer");
}

type Run = { readonly file: string; readonly env?: Record<string, string>; readonly flags?: readonly string[] };

async function run(answers: Record<string, string>, { file, env = {}, flags = [] }: Run) {
  const lines: string[] = [];
  const given = Object.entries(answers).flatMap(([name, value]) => [`--${name}`, value]);
  const options = readSetupOptions([...given, ...flags]);
  const failure = await setup({ asker: unattended((line) => lines.push(line)), options, env, file }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  return { said: lines.join("\n"), failure };
}

test("with every answer as an option, it checks them, writes .env for its owner alone, and says what to type", async () => {
  const file = join(folder(), ".env");

  const { said, failure } = await run(healthy(), { file });

  expect(failure).toBeUndefined();
  expect(said).toContain("The bot token works: @gantry in Playground");
  expect(said).toContain("All 11 scopes of the manifest are granted");
  expect(said).toContain("The app-level token opens Socket Mode connections");
  expect(said).toContain("lists 0 services in beijing1");
  expect(said).toContain("/invite @gantry");
  for (const secret of [slack.access.botToken, "dana-token"]) expect(said).not.toContain(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readConfig(variablesIn(readFileSync(file, "utf8")))).toMatchObject({
    slack: { kind: "real", transport: { kind: "socket" }, tokens: { kind: "one", botToken: slack.access.botToken } },
    service: { kind: "remote", account: { username: "dana", token: "dana-token" } },
  });
});

/** What somebody reads who has no app yet, and takes what is suggested elsewhere. */
async function saidToNewcomer(file: string, env: Record<string, string> = {}): Promise<string> {
  const lines: string[] = [];
  const asker = unattended((line) => lines.push(line));
  const answers = Object.entries(healthy()).flatMap(([name, value]) => [`--${name}`, value]);
  await setup({
    asker: {
      ...asker,
      isInteractive: true,
      choose: async ({ current, options: [first] }) => (first?.value === "new" ? first.value : (current ?? fail())),
      show: { ...asker.show, step: (text) => lines.push(text) },
    },
    options: readSetupOptions(answers),
    env,
    file,
  });
  return lines.join("\n");
}

test("who has no app yet gets three steps and a file to paste, and not its ninety lines", async () => {
  const file = join(folder(), ".env");
  const manifest = join(file, "..", "slack-app.yml");

  const said = await saidToNewcomer(file);

  expect([...said.matchAll(/^(\d)\. .*$/gmu)].map(([, number]) => number)).toEqual(["1", "2", "3"]);
  expect(said).toContain(`paste ${manifest}`);
  expect(said).toContain("Where an admin has to consent");
  expect(said).not.toContain("display_information");
  expect(readFileSync(manifest, "utf8")).toContain("socket_mode_enabled: true");
  expect(said).toMatch(/Type \/gantry list: Gantry answers with your workloads/u);
  expect(said).toMatch(/^To remove Gantry: /mu);
});

test("in a container, whose files nobody opens, a command prints the manifest", async () => {
  const file = join(folder(), ".env");

  const said = await saidToNewcomer(file, { GANTRY_ENV_FILE: file });

  expect(said).toContain("paste what this prints: docker run --rm gantry manifest --socket");
  expect(existsSync(join(file, "..", "slack-app.yml"))).toBe(false);
});

test("a second run needs no answers, and keeps the other lines and a link", async () => {
  const made = folder();
  const file = join(made, ".env");
  await run(healthy(), { file });
  writeFileSync(file, `# ours\nPORT=8080\n${readFileSync(file, "utf8")}`);
  chmodSync(file, 0o644);
  const before = readFileSync(file, "utf8");
  const link = join(made, "link.env");
  symlinkSync(file, link);

  expect((await run({}, { file: link })).failure).toBeUndefined();
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("from Socket Mode to HTTP: what isn't used any more is removed, and named", async () => {
  const file = join(folder(), ".env");
  await run(healthy(), { file });

  const answers = { transport: "http", "signing-secret": "0123456789abcdef0123" };
  const { said } = await run(answers, { file, env: { SLACK_APP_TOKEN: "xapp-of-the-shell" } });

  expect(said).toContain("Removed SLACK_APP_TOKEN.");
  expect(said).toContain("SLACK_APP_TOKEN is also set in the environment, which wins over the file");
  expect(readConfig(variablesIn(readFileSync(file, "utf8")))).toMatchObject({ slack: { transport: { kind: "http" } } });
});

test.each([
  ["a wrong bot token", { "bot-token": "xoxb-wrong" }, /broken {3}Slack rejected the bot token \(invalid_auth\)/u],
  ["a wrong app-level token", { "app-token": "xapp-wrong" }, /broken {3}Slack rejected the app-level token/u],
  [
    "a wrong API token",
    { "workload-api-token": "wrong" },
    /couldn't list services: .* Check the username and the token/u,
  ],
  ["a workload API that is away", { "workload-api-url": "http://127.0.0.1:1" }, /broken .*couldn't list services/u],
])("%s ends it, and nothing is written", async (_, wrong, sentence) => {
  const file = join(folder(), ".env");

  const { said, failure } = await run({ ...healthy(), ...wrong }, { file });

  expect(said).toMatch(sentence);
  expect(failure).toContain("Nothing was written.");
  expect(existsSync(file)).toBe(false);
});

test("a token of the wrong kind and a missing answer are named by their option", async () => {
  const file = join(folder(), ".env");

  expect((await run({ ...healthy(), "bot-token": "xapp-1" }, { file })).failure).toContain(
    "--bot-token: Must be the bot token, which starts with xoxb-",
  );
  expect((await run({}, { file })).failure).toContain("--transport socket|http is missing");
  const { "app-token": _token, ...others } = healthy();
  expect((await run({ ...others, transport: "socket" }, { file })).failure).toContain("--app-token is missing");
});

test("a workspace that refused scopes: an optional one is a warning", async () => {
  const file = join(folder(), ".env");
  slack.playground.faults.missingScopes = ["usergroups:read"];
  onTestFinished(() => {
    slack.playground.faults.missingScopes = [];
  });

  const { said, failure } = await run(healthy(), { file });

  expect(failure).toBeUndefined();
  expect(said).toContain("warning  The scope `usergroups:read` is missing");
});

test("a token in quotes is named, and one that .env cuts at its # isn't used", async () => {
  const file = join(folder(), ".env");

  expect((await run({ ...healthy(), "bot-token": `"${slack.access.botToken}"` }, { file })).failure).toContain(
    "--bot-token: Enter it without quotes.",
  );
  writeFileSync(file, "WORKLOAD_API_TOKEN=dana-token#2\n");
  const { "workload-api-token": _token, ...others } = healthy();
  const { said, failure } = await run(others, { file });

  expect(said).toContain(`WORKLOAD_API_TOKEN has a # in ${file}`);
  expect(failure).toContain("--workload-api-token is missing");
});

test("several workspaces: the app's credentials and the address of the install page, and no account", async () => {
  const file = join(folder(), ".env");
  const answers = {
    "client-id": "123.456",
    "client-secret": "a-secret-of-the-client",
    "install-url": "https://gantry.example.com",
    "signing-secret": "0123456789abcdef0123",
    "workload-api-url": "https://workloads.example.com",
  };

  const { said, failure } = await run(answers, { file, env: { GANTRY_KEYS: "" } });

  expect(failure).toBeUndefined();
  expect(said).toContain("open https://gantry.example.com/slack/install");
  expect(said).toContain("/gantry connect workspace");
});
