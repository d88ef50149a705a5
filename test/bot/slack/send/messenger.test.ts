import { stillClock } from "../../../support/test-clock.ts";
import { describe, expect, test } from "vitest";
import { directNetwork } from "../../../../src/platform/http/network.ts";
import { createLog } from "../../../../src/platform/log.ts";
import type { Playground } from "../../../../src/playground/playground.ts";
import { createBackOff } from "../../../../src/bot/slack/send/call.ts";
import { createClients } from "../../../../src/bot/slack/send/clients.ts";
import { createMessenger, type Messenger } from "../../../../src/bot/slack/send/messenger.ts";
import { openLocalSlack } from "../../../../src/bot/compose/stand-ins/local-slack.ts";
import { plan } from "../../../../src/bot/views/kit/plan.ts";
import { endView } from "../../../../src/bot/views/forms/modal.ts";
import { sentence } from "../../../../src/bot/views/messages/sentences.ts";

type Town = AsyncDisposable & {
  readonly messenger: Messenger;
  readonly playground: Playground;
  readonly refusal: () => string | undefined;
  readonly lines: readonly string[];
  readonly waits: readonly number[];
  readonly passSeconds: (seconds: number) => Promise<void>;
  /** Happens during the next wait. */
  readonly meanwhile: (work: () => Promise<unknown>) => void;
};

/** A messenger that speaks to the simulated Slack, with the bot in #ops and #general. */
async function town(): Promise<Town> {
  const slack = await openLocalSlack({ host: "127.0.0.1", port: 0, command: "/gantry", botPort: () => 9 });
  slack.playground.faults.inviteBot("general");
  const lines: string[] = [];
  const waits: number[] = [];
  const clock = stillClock();
  const log = createLog({ level: "debug", secrets: [], to: { write: (line) => void lines.push(line) } });
  const clients = createClients(slack.access, log);
  let work: () => Promise<unknown> = () => Promise.resolve();
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms);
    const now = work;
    work = () => Promise.resolve();
    await now();
  };
  const messenger = createMessenger({
    clients,
    backOff: createBackOff(clock),
    wait,
    replies: { post: directNetwork.post, wait },
    log,
    command: "/gantry",
  });
  return {
    messenger,
    playground: slack.playground,
    refusal: clients.tokenRefusal,
    lines,
    waits,
    meanwhile: (next) => void (work = next),
    passSeconds: (seconds) => clock.passMs(seconds * 1_000),
    [Symbol.asyncDispose]: slack.close,
  };
}

const message = sentence("Everything is `fine`.");
const ops = { channel: "C0OPS" };
const general = { channel: "C0GENERAL" };

function asked({ playground }: Town, method: string): number {
  return playground.transcript().filter(({ kind }) => kind === method).length;
}

test("after a 429, a method is held back for that channel only, and only as long as Slack asks", async () => {
  await using slack = await town();
  const { messenger, playground, passSeconds } = slack;
  playground.faults.answer("chat.postMessage", "429", { channel: "ops", times: 1, retryAfterSeconds: 24 });

  const limited = await messenger.post(ops, message, "card");
  const heldBack = await messenger.post(ops, message, "card");
  const elsewhere = await messenger.post(general, message, "card");
  const asksBefore = asked(slack, "chat.postMessage");
  const otherMethod = await messenger.postEphemeral({ ...ops, user: "U0DANA" }, message);
  await passSeconds(23);
  const early = await messenger.post(ops, message, "interactive");
  await passSeconds(1);
  const later = await messenger.post(ops, message, "card");

  expect(limited).toMatchObject({ ok: false, failure: { kind: "limited", retryAfterMs: 24_000 } });
  expect(heldBack).toMatchObject({ ok: false, failure: { kind: "limited", retryAfterMs: 24_000 } });
  expect(early).toMatchObject({ ok: false, failure: { kind: "limited", retryAfterMs: 1_000 } });
  expect([elsewhere.ok, otherMethod.ok, later.ok]).toEqual([true, true, true]);
  expect(asksBefore).toBe(2);
});

test("a background call waits for Retry-After by itself, and no other call waits with it", async () => {
  await using slack = await town();
  slack.playground.faults.answer("chat.postMessage", "429", { channel: "ops", times: 2, retryAfterSeconds: 24 });

  const posted = await slack.messenger.post(ops, message, "background");

  expect(posted.ok).toBe(true);
  expect(slack.waits).toEqual([24_000, 24_000]);
});

test("of several that waited for one 429, only the first asks again while Slack goes on to limit", async () => {
  await using slack = await town();
  slack.playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 24 });

  await Promise.all([1, 2, 3].map(() => slack.messenger.post(ops, message, "background")));

  // All three at first, and one after the pause.
  expect(asked(slack, "chat.postMessage")).toBe(4);
});

test("of several messages that are due again after one 429, only the first asks while Slack goes on to limit", async () => {
  await using slack = await town();
  const { messenger, playground, passSeconds } = slack;
  playground.faults.answer("chat.postMessage", "429", { channel: "ops", times: 2, retryAfterSeconds: 24 });
  const three = () => Promise.all([1, 2, 3].map(() => messenger.post(ops, message, "card")));
  await messenger.post(ops, message, "card");

  await passSeconds(24);
  const limited = await three();
  await passSeconds(24);
  const posted = await three();
  const rest = await three();

  expect(limited.map((each) => each.ok || each.failure.kind)).toEqual(["limited", "limited", "limited"]);
  expect(posted.map((each) => each.ok || each.failure.retryAfterMs)).toEqual([true, 5_000, 5_000]);
  expect(rest.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(asked(slack, "chat.postMessage")).toBe(6);
});

test.each([
  ["a Retry-After of ten minutes", "429", { retryAfterSeconds: 600 }, 1],
  ["a server error that stays", "500", {}, 3],
  ["a permanent refusal", { error: "is_archived" }, {}, 1],
  ["a code nobody knows", { error: "a_code_nobody_knows" }, {}, 1],
] as const)("a background call gives up after %s", async (...[, fault, scope, calls]) => {
  await using slack = await town();
  slack.playground.faults.answer("chat.postMessage", fault, scope);

  const posted = await slack.messenger.post(ops, message, "background");

  expect(posted.ok).toBe(false);
  expect(asked(slack, "chat.postMessage")).toBe(calls);
});

test("a card's call is tried exactly once", async () => {
  await using slack = await town();
  slack.playground.faults.answer("chat.postMessage", "500");

  expect(await slack.messenger.post(ops, message, "card")).toMatchObject({ ok: false, failure: { kind: "unsure" } });
  expect(asked(slack, "chat.postMessage")).toBe(1);
});

test("when Slack refuses blocks, the text goes out in a post, an update and an ephemeral message", async () => {
  await using slack = await town();
  const { messenger, playground } = slack;
  const posted = await messenger.post(ops, message, "card");
  if (!posted.ok) throw new Error("not posted");
  playground.faults.answer("all", "blocks");

  const again = [
    await messenger.post(ops, message, "background"),
    await messenger.update(posted.value, message, "card"),
    await messenger.postEphemeral({ ...ops, user: "U0DANA" }, message),
  ];

  expect(again.map(({ ok }) => ok)).toEqual([true, true, true]);
  const seen = playground.as("dana").sees("ops");
  const told = seen.map(
    ({ text }) => /^Everything is fine\.\n\(Couldn't show the layout\. Reference (\w{8})\)$/u.exec(text)?.[1],
  );
  const logged = slack.lines.map((line) => (JSON.parse(line) as { reference?: string }).reference); // pino's
  expect(new Set(told)).toEqual(new Set(logged));
  expect(new Set(told).size).toBe(3);
});

describe("a plan", () => {
  const planned = {
    text: "1 of 2 healthy",
    blocks: [
      plan("1 of 2 healthy", [
        { title: "web <!channel> · runs 1.5", status: "complete" },
        { title: "worker · 1.5 is starting", status: "in_progress" },
      ]),
    ],
  };

  test("is sent as one, and nothing in it is markup", async () => {
    await using slack = await town();

    expect(await slack.messenger.post(ops, planned, "card")).toMatchObject({ ok: true });
    expect(slack.playground.as("dana").sees("ops").at(-1)?.text).toBe(
      "1 of 2 healthy\n✓ web ‹!channel› · runs 1.5\n… worker · 1.5 is starting",
    );
  });

  test("that Slack refuses is sent as lines, and none is tried again after that", async () => {
    await using slack = await town();
    slack.playground.faults.answer("all", "plans");

    const posted = await slack.messenger.post(ops, planned, "card");
    if (!posted.ok) throw new Error("not posted");
    expect(slack.playground.as("dana").sees("ops").at(-1)?.text).toBe(
      "🟢 web ‹!channel› · runs 1.5\n🟡 worker · 1.5 is starting",
    );
    expect(asked(slack, "chat.postMessage")).toBe(2);
    expect(await slack.messenger.update(posted.value, planned, "card")).toMatchObject({ ok: true });
    expect(asked(slack, "chat.update")).toBe(1);
  });

  test("is tried again after some messages: it may have been one of them that Slack refused", async () => {
    await using slack = await town();
    slack.playground.faults.answer("all", "plans");
    await slack.messenger.post(ops, planned, "card");
    slack.playground.faults.clear();

    const sent = await slack.messenger.post(ops, planned, "card");
    if (!sent.ok) throw new Error("not posted");
    const seen = () => slack.playground.as("dana").sees("ops").at(-1)?.text;
    expect(seen()).toContain("🟢 web");
    for (let updates = 0; updates < 50; updates += 1) await slack.messenger.update(sent.value, planned, "card");

    expect(seen()).toContain("✓ web");
  });

  test("is tried again where it wasn't the plan that Slack refused", async () => {
    await using slack = await town();
    slack.playground.faults.answer("all", "blocks");
    await slack.messenger.post(ops, planned, "card");
    expect(slack.playground.as("dana").sees("ops").at(-1)?.text).toContain("Couldn't show the layout");

    slack.playground.faults.clear();
    await slack.messenger.post(ops, planned, "card");
    expect(slack.playground.as("dana").sees("ops").at(-1)?.text).toContain("✓ web");
  });
});

test("no post unfurls its links", async () => {
  await using slack = await town();
  await slack.messenger.post(ops, message, "card");
  await slack.messenger.post(ops, message, "background");

  const sent = slack.playground.transcript().filter(({ kind }) => kind === "chat.postMessage");
  expect(sent.map(({ request }) => request)).toEqual([
    expect.objectContaining({ unfurl_links: expect.anything(), unfurl_media: expect.anything() }),
    expect.objectContaining({ unfurl_links: expect.anything(), unfurl_media: expect.anything() }),
  ]);
});

test("an update of a view that somebody else updated first learns that it lost, and changes nothing", async () => {
  await using slack = await town();
  const { messenger, playground } = slack;
  const view = (text: string): object => endView({ title: "Gantry", post: sentence(text) });
  const delivered = playground.as("dana").says("/gantry list");
  const triggerId = await triggerOf(slack);
  const opened = await messenger.openView({ triggerId, user: "U0DANA", view: view("opened") });
  if (!opened.ok || opened.value === undefined) throw new Error("not opened");
  const { viewId, hash } = opened.value;

  const first = await messenger.updateView({ viewId, hash, view: view("first") });
  const second = await messenger.updateView({ viewId, hash, view: view("second") });

  expect(first).toMatchObject({ ok: true, value: { hash: expect.any(String) } });
  expect(second).toMatchObject({ ok: false, failure: { kind: "superseded", code: "hash_conflict" } });
  expect(asked(slack, "views.update")).toBe(2);
  expect(JSON.stringify(playground.as("dana").modal()?.content)).toContain("first");
  await delivered;
});

/** Of the command that is on its way to the bot. */
async function triggerOf({ playground }: Town): Promise<string> {
  const sent = playground.transcript().find(({ direction }) => direction !== "from bot");
  return String(Object(sent?.request)["trigger_id"]);
}

test("an update that has to wait is given up when a later one was sent for the same view", async () => {
  await using slack = await town();
  const { messenger, playground } = slack;
  const home = (text: string): object => ({ type: "home", blocks: sentence(text).blocks });
  playground.faults.answer("views.publish", "429", { times: 1, retryAfterSeconds: 5 });
  const { promise: later, resolve: sendLater } = Promise.withResolvers<Awaited<ReturnType<Messenger["publishHome"]>>>();
  slack.meanwhile(async () => {
    await slack.passSeconds(5);
    sendLater(messenger.publishHome({ user: "U0DANA", view: home("later") }));
    return later;
  });

  const earlier = await messenger.publishHome({ user: "U0DANA", view: home("earlier") });

  expect([earlier.ok, (await later).ok]).toEqual([false, true]);
  expect(asked(slack, "views.publish")).toBe(2);
  expect(JSON.stringify(playground.as("dana").home()?.content)).toContain("later");
});

test("a refused token is known until a call succeeds, whichever method it was", async () => {
  await using slack = await town();
  const { messenger, playground, refusal } = slack;
  playground.faults.tokenError = "token_revoked";
  await messenger.publishHome({ user: "U0DANA", view: { type: "home", blocks: [] } });
  const whileRefused = refusal();
  playground.faults.clear();
  await messenger.post(ops, message, "background");

  expect([whileRefused, refusal()]).toEqual(["token_revoked", undefined]);
});

test("the log names method, target, code and missing scope under the reference of the failure", async () => {
  await using slack = await town();
  slack.playground.faults.answer("chat.update", { error: "missing_scope", needed: "chat:write" });

  const updated = await slack.messenger.update({ channelId: "C0OPS", ts: "1.2" }, message, "card");

  expect(updated).toMatchObject({ ok: false, failure: { kind: "scope", needed: "chat:write" } });
  expect(JSON.parse(slack.lines.at(-1) ?? "")).toMatchObject({
    reference: expect.stringMatching(/^[0-9a-f]{8}$/u),
    method: "chat.update",
    target: "C0OPS",
    slackError: "missing_scope",
    needed: "chat:write",
  });
});
