import { afterEach, beforeEach, expect, test } from "vitest";
import { actions, button, plain } from "../support/samples.ts";
import { until } from "../../support/until.ts";
import { type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

async function control(route: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${world.url}/playground/${route}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ quietMs: 30, deadlineMs: 3000, ...body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // every answer is an object
}

/** The answer once it has been quiet for long enough. */
async function onceQuiet(answer: Promise<Answer>): Promise<Answer> {
  let isThere = false;
  void answer.then(() => (isThere = true));
  await until(() => {
    world.pass(30);
    return isThere;
  });
  return answer;
}

/** A bot that posts a message, a reply and a file in its thread, shortly after the ack; resolves when it has. */
function answerWithThread(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  world.bot.answer = () => {
    void (async () => {
      const { ts = "" } = await world.post({
        channel: "C0OPS",
        text: "web · 2 lines",
        blocks: [actions(button({ text: plain("Next") }))],
      });
      await world.post({ channel: "C0OPS", thread_ts: ts, text: "line 1\nline 2" });
      await world.web.filesUploadV2({
        channel_id: "C0OPS",
        thread_ts: ts,
        filename: "web.log",
        content: "all lines\n",
      });
    })().then(resolve);
    return { body: "one moment" };
  };
  return promise;
}

test("saying something shows all that became visible: ephemeral lines, threads, files, buttons", async () => {
  const posts = answerWithThread();
  const saying = control("say", { as: "dana", channel: "ops", text: "/gantry logs web" });
  await posts;
  const answer = await onceQuiet(saying);

  expect(answer.body["ack"]).toMatchObject({ kind: "slash_command", acked: true });
  expect(answer.body["text"]).toMatchInlineSnapshot(`
    "gantry: (only visible to you)
      one moment

    gantry:
      [Next]

        gantry:
          line 1
          line 2

        gantry:
          [file web.log, 10 bytes]
            all lines"
  `);
});

test("a click prints the changes, also that a message was deleted", async () => {
  await world.post({
    channel: "C0OPS",
    text: "card",
    blocks: [actions(button({ text: plain("Next") }))],
  });
  const { ts = "" } = await world.post({ channel: "C0OPS", text: "goes away" });
  const { promise: changes, resolve } = Promise.withResolvers<unknown>();
  world.bot.answer = (payload) => {
    const body = JSON.stringify({ text: "page 2", blocks: [], replace_original: true });
    const edit = fetch(String(payload["response_url"]), { method: "POST", body });
    resolve(Promise.all([edit, world.web.chat.delete({ channel: "C0OPS", ts })]));
    return undefined;
  };
  const clicking = control("click", { label: "Next" });
  await changes;
  const clicked = await onceQuiet(clicking);

  expect(clicked.body["text"]).toBe("gantry: (edited)\n  page 2\n\n(a message was deleted)");
});

test("a wrong name is answered with a sentence", async () => {
  const nobody = await control("say", { as: "bob", text: "/gantry list" });
  const nowhere = await control("say", { channel: "nowhere", text: "/gantry list" });
  const nothing = await control("say", {});

  expect(nobody).toEqual({
    status: 400,
    body: { error: 'There\'s no person "bob". People here: dana, alex, omar and gwen.' },
  });
  expect(nowhere.body["error"]).toBe(
    'There\'s no channel "nowhere". Channels: ops, general, incidents. Direct messages: @name.',
  );
  expect(nothing.status).toBe(400);
});

test("a web page of another origin cannot type commands, nor can a foreign host name", async () => {
  const page = await control("say", { text: "/gantry list" }, { origin: "https://evil.test" });
  const request = new Request(`${world.url}/playground/state`, { headers: { host: "evil.test" } });
  const rebound = await world.playground.fetch(request);
  const own = await onceQuiet(control("say", { text: "/gantry list", deadlineMs: 50 }, { origin: world.url }));

  expect(page.status).toBe(403);
  expect(rebound.status).toBe(403);
  expect(own.status).toBe(200);
  expect(world.bot.received).toHaveLength(1);
});

test("the state can be read from outside", async () => {
  await world.post({ channel: "C0OPS", text: "hello" });
  const state = await (await fetch(`${world.url}/playground/state`)).json();

  expect(state).toMatchObject({
    app: { commands: ["/gantry"] },
    channels: [
      { name: "ops", messages: [{ text: "hello" }] },
      { name: "general" },
      { name: "incidents", kind: "private" },
    ],
    transcript: [{ direction: "from bot", kind: "chat.postMessage", status: 200 }],
  });
});
