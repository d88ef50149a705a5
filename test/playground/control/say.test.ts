import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  findPlayground,
  removePlaygroundAddress,
  savePlaygroundAddress,
} from "../../../src/bot/compose/stand-ins/playground-address.ts";
import { runToEnd } from "../../support/gantry-runs.ts";
import { actions, button, input, modal, plain } from "../support/samples.ts";
import { running, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
let dataDir: string;
beforeEach(async () => {
  world = await startSmallWorld(running);
  dataDir = await mkdtemp(join(tmpdir(), "say-"));
});
afterEach(async () => {
  await world.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const say = (env: Record<string, string>, ...args: string[]) =>
  runToEnd("bin/say.ts", args, { GANTRY_DATA: dataDir, ...env });

/** The bot answers the command with a form, and its submission with a message. */
function answerWithForm(): void {
  world.bot.answer = (payload) => {
    if (payload["type"] === "view_submission") {
      void world.post({ channel: "C0OPS", text: "scaled" });
      return undefined;
    }
    const number = input(
      { type: "number_input", action_id: "size", is_decimal_allowed: false, initial_value: "2" },
      { label: plain("Instances") },
    );
    const view = modal({ title: plain("Scale web"), submit: plain("Scale"), blocks: [number] });
    void world.call("views.open", { trigger_id: String(payload["trigger_id"]), view });
    return undefined;
  };
}

test("it prints what the person types, clicks and sees", async () => {
  world.bot.answer = (payload) =>
    payload["command"] === undefined
      ? void fetch(String(payload["response_url"]), {
          method: "POST",
          body: '{"text":"page 2","replace_original":true,"blocks":[]}',
        })
      : { json: { text: "page 1", blocks: [actions(button({ text: plain("Next") }))] } };
  const { out } = await say({ PLAYGROUND_URL: world.url }, "/gantry list", "--as", "alex", "--click", "Next");

  expect(out).toBe("gantry: (only visible to you)\n  [Next]\ngantry: (only visible to you) (edited)\n  page 2\n");
});

test("if none runs, it says where it looked and how to start one", async () => {
  expect(await say({ PLAYGROUND_URL: "http://127.0.0.1:1" }, "/gantry list")).toMatchObject({
    code: 1,
    err: "Nothing answers at http://127.0.0.1:1. Start it with `npm start`.\n",
  });
});

test.each([
  ["before its first byte", (answer: ServerResponse) => answer.destroy()],
  ["in the middle", (answer: ServerResponse) => answer.writeHead(200).write('{"te', () => answer.destroy())],
])("if Gantry stops while it answers, %s, say doesn't claim that the command didn't arrive", async (_, cut) => {
  const server = createServer((_request, answer) => cut(answer)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const url = `http://127.0.0.1:${port}`;

  const said = await say({ PLAYGROUND_URL: url }, "/gantry restart web");
  server.close();

  expect(said).toMatchObject({
    code: 1,
    err: `The playground at ${url} stopped before it answered. Your command may have arrived: check \`/gantry history\` before you repeat it.\n`,
  });
});

test("--help prints the usage; a wrong option is named first", async () => {
  expect((await say({}, "--help")).out).toContain("Usage: gantry say");
  expect(await say({}, "--loud")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Unknown option '--loud'\.\n\nUsage: /u),
  });
});

test("a form is printed with its values and the next steps, filled in by label, and submitted", async () => {
  answerWithForm();
  const env = { PLAYGROUND_URL: world.url };
  const opened = await say(env, "/gantry scale web");

  expect(opened.out).toBe(`Form: Scale web
Instances:
[2]
[Scale] [Cancel]
(To go on, add --fill "Instances=…" and --click Scale; or close the form with --click Cancel.)
`);

  const sent = await say(env, "--fill", "instances=4", "--click", "Scale");

  expect(sent.out).toBe("gantry:\n  scaled\n");
  expect(JSON.stringify(world.bot.last()["view"])).toContain('"value":"4"');
});

test("a wrong value is named with its field, and the form stays open", async () => {
  answerWithForm();
  const env = { PLAYGROUND_URL: world.url };
  await say(env, "/gantry scale web");

  expect(await say(env, "--fill", "Instances=", "--click", "Scale")).toMatchObject({
    out: expect.stringContaining("! Instances: Please complete this required field."),
  });
  expect(await say(env, "--fill", "Count=4")).toMatchObject({
    err: 'The form "Scale web" has no field "Count". Its fields: Instances.\n',
  });
});

test("a button behind an open form is refused with the way out, and works once the form is closed", async () => {
  await world.post({ channel: "C0OPS", text: "card", blocks: [actions(button({ text: plain("Approve") }))] });
  answerWithForm();
  const env = { PLAYGROUND_URL: world.url };
  await say(env, "/gantry scale web");

  expect(await say(env, "--click", "Approve")).toMatchObject({
    err: 'The form "Scale web" is open and covers "Approve". Close it first: press "Cancel".\n',
  });
  expect((await say(env, "--click", "Cancel")).out).toBe("(the form is closed)\n");

  world.bot.answer = (payload) => {
    const body = '{"text":"approved","response_type":"ephemeral"}';
    void fetch(String(payload["response_url"]), { method: "POST", body });
    return undefined;
  };
  expect((await say(env, "--click", "Approve")).out).toContain("approved");
});

test("it finds the playground that runs with this GANTRY_DATA, whatever its port", async () => {
  savePlaygroundAddress(dataDir, world.url);
  world.bot.answer = () => ({ body: "one moment" });

  expect((await say({}, "/gantry list")).out).toContain("one moment");
});

test("the nearest setting wins: URL, port and host, the running playground, the default", () => {
  expect(findPlayground({}, dataDir)).toBe("http://127.0.0.1:3001");
  savePlaygroundAddress(dataDir, "http://127.0.0.1:4000");

  expect(findPlayground({}, dataDir)).toBe("http://127.0.0.1:4000");
  expect(findPlayground({ PLAYGROUND_PORT: "0" }, dataDir)).toBe("http://127.0.0.1:4000");
  expect(findPlayground({ PLAYGROUND_PORT: "5000" }, dataDir)).toBe("http://127.0.0.1:5000");
  expect(findPlayground({ PLAYGROUND_PORT: "5000", PLAYGROUND_HOST: "::1" }, dataDir)).toBe("http://[::1]:5000");
  expect(findPlayground({ PLAYGROUND_PORT: "5000", PLAYGROUND_HOST: "0.0.0.0" }, dataDir)).toBe(
    "http://127.0.0.1:5000",
  );
  expect(findPlayground({ PLAYGROUND_PORT: "5000", PLAYGROUND_URL: "http://x.test/" }, dataDir)).toBe("http://x.test");

  removePlaygroundAddress(dataDir, "http://127.0.0.1:4001");
  expect(findPlayground({}, dataDir)).toBe("http://127.0.0.1:4000");
  removePlaygroundAddress(dataDir, "http://127.0.0.1:4000");
  expect(findPlayground({}, dataDir)).toBe("http://127.0.0.1:3001");
});
