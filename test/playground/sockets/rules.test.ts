import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OtherRuleId } from "../../../src/playground/rules/rules.ts";
import { connectTo, startSocketWorld } from "../support/small-socket-app.ts";
import { appToken, botToken } from "../support/small-world.ts";

// Each rule of Socket Mode that an app can break: a step that keeps it, and one that breaks it.

type World = Awaited<ReturnType<typeof startSocketWorld>>;
type SocketRuleId = Extract<OtherRuleId, `socket.${string}`>;
type Row = {
  readonly error: string;
  readonly kept: (world: World) => Promise<unknown>;
  readonly broken: (world: World) => Promise<unknown>;
};

let world: World;
beforeEach(async () => {
  world = await startSocketWorld();
});
afterEach(async () => {
  await world.stop();
});

const open = (token = appToken) => world.call("apps.connections.open", {}, token);
const types = (text: string) => world.playground.as("dana").says(text);

/** The status of the refusal of a connection. */
async function refusedAt(url: string): Promise<number | undefined> {
  const { socket } = connectTo(url);
  const [, response] = await once(socket, "unexpected-response");
  return response.statusCode;
}

async function acks(frame: unknown): Promise<void> {
  const connection = await world.connect();
  connection.answer = () => "never";
  const typed = types("/gantry list");
  await expect.poll(() => connection.envelopes().length).toBe(1);
  const [envelope] = connection.envelopes();
  const before = world.playground.transcript().length;
  connection.send(typeof frame === "function" ? frame(envelope?.["envelope_id"]) : frame);
  await expect.poll(() => world.playground.transcript().length).toBe(before + 1);
  const refused = world.playground.transcript().at(-1);
  connection.send({ envelope_id: envelope?.["envelope_id"] });
  await typed;

  expect(world.playground.transcript().at(-1)).toBe(refused);
}

const rows: Readonly<Record<SocketRuleId, Row>> = {
  "socket.token": { error: "not_allowed_token_type", kept: () => open(), broken: () => open(botToken) },
  "socket.scope": {
    error: "missing_scope",
    kept: () => open(),
    async broken() {
      await world.stop();
      world = await startSocketWorld({ appTokenScopes: ["authorizations:read"] });
      expect(await open()).toMatchObject({ needed: "connections:write", provided: "authorizations:read" });
    },
  },
  "socket.post": {
    error: "insecure_request",
    kept: () => open(),
    broken: () => fetch(`${world.url}/api/apps.connections.open?token=${appToken}`),
  },
  "socket.on": {
    error: "socket_mode_not_enabled",
    kept: () => open(),
    async broken() {
      world.playground.links.turnOff();
      await open();
    },
  },
  "socket.ticket": {
    error: "invalid_ticket",
    async kept() {
      const { url } = await open();
      world.pass(30_000);
      await once(connectTo(String(url)).socket, "open");
    },
    async broken() {
      const { url: used } = await open();
      await once(connectTo(String(used)).socket, "open");
      const { url: old } = await open();
      world.pass(30_001);
      const statuses = [
        await refusedAt(`${world.url}/link/`),
        await refusedAt(String(used)),
        await refusedAt(String(old)),
      ];
      expect(statuses).toEqual([401, 401, 401]);
    },
  },
  "socket.connected": {
    error: "dispatch_failed",
    async kept() {
      await world.connect();
      await types("/gantry list");
    },
    async broken() {
      world.playground.links.drop("all");
      await expect.poll(() => world.playground.links.names()).toEqual([]);
      expect(await types("/gantry list")).toMatchObject({ acked: false, error: "dispatch_failed" });
    },
  },
  "socket.ack-shape": {
    error: "invalid_ack",
    async kept() {
      const connection = await world.connect();
      connection.answer = () => ({});
      expect(await types("/gantry list")).toMatchObject({ acked: true, answer: undefined });
      world.playground.links.drop();
    },
    broken: () => acks("ok"),
  },
  "socket.ack-known": {
    error: "unknown_envelope",
    async kept() {
      await world.connect();
      await types("/gantry list");
      world.playground.links.drop();
    },
    broken: () => acks({ envelope_id: "never-sent" }),
  },
  "socket.ack-payload": {
    error: "unexpected_payload",
    async kept() {
      (await world.connect()).answer = () => ({ text: "hello" });
      await types("/gantry list");
    },
    broken: () => types("hello @gantry"),
  },
};

test.each(Object.entries(rows))("%s is kept, then broken", async (id, { error, kept, broken }) => {
  await kept(world);
  const whenKept = world.rule();
  await broken(world);
  const last = world.playground.transcript().at(-1);

  expect(whenKept).toBeUndefined();
  expect(last?.refusal).toMatchObject({ rule: id, sentence: expect.stringContaining(`${error}: `) });
});

test("an envelope is acked on its own connection, once, and only while Slack waits for it", async () => {
  await world.stop();
  world = await startSocketWorld();
  const first = await world.connect();
  const second = await world.connect();
  first.answer = () => "never";
  const delivery = await world.passAckLimit(types("/gantry list"));
  await expect.poll(() => first.envelopes().length).toBe(1);
  const id = first.envelopes()[0]?.["envelope_id"];
  second.send({ envelope_id: id });
  await expect.poll(() => world.rule()).toBe("socket.ack-known");
  const refusals = (): number =>
    world.playground.transcript().filter(({ refusal }) => refusal?.rule === "socket.ack-known").length;
  first.send({ envelope_id: id });
  await expect.poll(refusals).toBe(2);

  expect(delivery).toMatchObject({ acked: false, error: "operation_timeout", status: undefined });
});

test("a payload that is no object is no ack", async () => {
  await acks((id: unknown) => ({ envelope_id: id, payload: "ok" }));

  expect(world.rule()).toBe("socket.ack-shape");
});

test("the eleventh connection is told that there are too many, and closed", async () => {
  const ten = await Promise.all(Array.from({ length: 10 }, () => world.connect()));
  const counts = ten.map((each) => each.hello()?.["num_connections"]);
  const eleventh = await world.connect();
  await once(eleventh.socket, "close");
  await types("/gantry list");

  expect(counts.toSorted((a, b) => Number(a) - Number(b))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(eleventh.hello()).toBeUndefined();
  expect(eleventh.frames).toEqual([
    { type: "disconnect", reason: "too_many_websockets", debug_info: { host: "applink-11" } },
  ]);
  expect(world.playground.links.names()).toHaveLength(10);
});

test("only apps.connections.open takes an app-level token, and no token is no token", async () => {
  expect(await world.call("auth.test", {}, appToken)).toMatchObject({ ok: false, error: "not_allowed_token_type" });
  expect(await open("xapp-wrong")).toMatchObject({ ok: false, error: "invalid_auth" });
  expect(await open("")).toMatchObject({ ok: false, error: "not_authed" });
});

test("an app-level token can be refused while the bot's is accepted", async () => {
  world.playground.faults.appTokenError = "token_revoked";
  const refused = [await open(), await world.call("auth.test", {})];
  world.playground.faults.clear();

  expect(refused).toMatchObject([{ ok: false, error: "token_revoked" }, { ok: true }]);
  expect(await open()).toMatchObject({ ok: true, url: expect.stringMatching(/^ws:.*ticket=.*&app_id=A0GANTRY$/) });
});

test("50 addresses in a minute, then Retry-After", async () => {
  world.playground.faults.enforcesRateTiers = true;
  for (let call = 0; call < 50; call += 1) expect(await open()).toMatchObject({ ok: true });

  expect(await open()).toMatchObject({ ok: false, error: "ratelimited" });
  world.pass(60_000);
  expect(await open()).toMatchObject({ ok: true });
});
