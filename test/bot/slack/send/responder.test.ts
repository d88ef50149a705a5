import { stillClock } from "../../../support/test-clock.ts";
import { expect, test } from "vitest";
import { createReply } from "../../../../src/bot/workflow/reply.ts";
import { createLog } from "../../../../src/platform/log.ts";
import { createClients } from "../../../../src/bot/slack/send/clients.ts";
import { createBackOff } from "../../../../src/bot/slack/send/call.ts";
import { createMessenger } from "../../../../src/bot/slack/send/messenger.ts";
import { createResponder } from "../../../../src/bot/slack/send/responder.ts";
import type { ResponseBody } from "../../../../src/bot/slack/send/response-url.ts";
import { openForm } from "../../../../src/bot/slack/modals/update-view.ts";
import { sentence } from "../../../../src/bot/views/messages/sentences.ts";

type Posted = { readonly url: string; readonly body: ResponseBody };

/** A responder whose response_url answers are given, in order; the last one stays. */
function responder(...answers: readonly [() => Response, ...(() => Response)[]]) {
  const posted: Posted[] = [];
  const lines: string[] = [];
  const waits: number[] = [];
  const log = createLog({ level: "debug", secrets: [], to: { write: (line) => void lines.push(line) } });
  const messenger = createMessenger({
    // Nothing listens there: what doesn't go to the response_url fails.
    clients: createClients({ botToken: "xoxb-1", apiUrl: "http://127.0.0.1:9/api/" }, log),
    backOff: createBackOff(stillClock()),
    wait: () => Promise.resolve(),
    log,
    command: "/gantry",
    replies: {
      wait: async (ms) => void waits.push(ms),
      async post(url, { json }) {
        posted.push({ url, body: JSON.parse(json) as ResponseBody }); // the messenger writes JSON of a ResponseBody
        const response = (answers[Math.min(posted.length, answers.length) - 1] ?? answers[0])();
        const { status, headers } = response;
        return { status, text: await response.text(), headers };
      },
    },
  });
  const people = { bot: () => ({ name: "gantry", userId: undefined, teamId: undefined }) };
  const made = createResponder({
    clock: { wait: () => Promise.resolve() },
    messenger,
    people,
    log,
    refreshHome: () => undefined,
    formReply: () => createReply({ tell: () => Promise.resolve(true) }, origin),
  });
  return { ...made, messenger, posted, lines, waits };
}

const origin = { userId: "U1", teamId: "T1", channelId: "C1", responseUrl: "https://hooks.slack.com/1" };
const message = sentence("Everything is `fine`.");
const ok = (): Response => new Response("ok");

test.each([
  ["a command", origin, false, { response_type: "ephemeral", replace_original: false }],
  ["a shared command", origin, true, { response_type: "in_channel", replace_original: false }],
  [
    "a click in an ephemeral list",
    { ...origin, replaces: "ephemeral" },
    true,
    { response_type: "ephemeral", replace_original: true },
  ],
  [
    "a click in a shared list",
    { ...origin, replaces: "in_channel" },
    false,
    { response_type: "in_channel", replace_original: true },
  ],
] as const)("%s is answered where it stands", async (...[, at, isShared, kind]) => {
  const { answer, posted } = responder(ok);

  await answer(message, at, { isShared });

  expect(posted.map(({ body }) => body)).toEqual([{ ...message, ...kind }]);
});

test("the answer to a read waits for the connection to Slack, and what is stored is sent again by others", async () => {
  const away = (): Response => {
    throw new TypeError("no connection", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
  };
  const back = responder(away, away, away, away, ok);
  await back.answer(message, origin, { isShared: false });
  expect(back.posted).toHaveLength(5);

  const told = responder(away, away, away, ok);
  expect(await told.tell(message, origin)).toBe(false);
  expect(told.posted).toHaveLength(3);
});

test("a form that couldn't open because there was no connection to Slack is told when there is one again", async () => {
  const away = (): Response => {
    throw new TypeError("no connection", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
  };
  const { messenger, posted, ...said } = responder(away, away, away, away, ok);

  const opening = { triggerId: "1.2.3", view: { type: "modal" }, origin };
  await openForm({ messenger, responder: said, settings: { command: "/gantry" } }, opening);

  expect(posted).toHaveLength(5);
  expect(posted.at(-1)?.body.text).toMatch(/form/u);
});

test("what Slack does not like to draw is said without its layout, and is a bug in the log", async () => {
  const refuses = (): Response => Response.json({ ok: false, error: "invalid_blocks" }, { status: 400 });
  const { answer, posted, lines } = responder(refuses, ok);

  await answer(message, origin, { isShared: false });

  const logged: unknown = JSON.parse(lines.at(-1) ?? "");
  const { reference } = logged as { reference: string }; // pino's
  expect(posted[1]?.body).toEqual({
    replace_original: false,
    response_type: "ephemeral",
    text: `Everything is fine.\n(Couldn't show the layout. Reference ${reference})`,
  });
  expect(logged).toMatchObject({
    level: 50,
    slackError: "invalid_blocks",
    blockTypes: ["rich_text"],
  });
});

test.each([
  ["429 with Retry-After", () => new Response("", { status: 429, headers: { "retry-after": "2" } }), [2_000]],
  ["429 with a long Retry-After", () => new Response("", { status: 429, headers: { "retry-after": "900" } }), [3_000]],
  ["a server error", () => new Response("", { status: 503 }), [250]],
  ["a login page", () => new Response("<html>", { headers: { "content-type": "text/html" } }), [250]],
])("%s is tried again after a while", async (_, fails, waited) => {
  const { answer, posted, waits } = responder(fails, ok);

  await answer(message, origin, { isShared: false });

  expect(posted).toHaveLength(2);
  expect(waits).toEqual(waited);
});

test("a late response URL is not posted to again, because the message may be there already", async () => {
  const late = (): never => {
    throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
  };
  const { answer, posted } = responder(late, ok);

  await answer(message, origin, { isShared: false });

  expect(posted).toHaveLength(1);
});

test.each([
  ["used up", () => new Response("used_url", { status: 404 })],
  ["too old", () => Response.json({ ok: false, error: "expired_url" }, { status: 404 })],
])("an address that is %s is not tried again", async (_, gone) => {
  const { tell, posted, lines } = responder(gone);

  await tell(message, origin);

  expect(posted).toHaveLength(1);
  expect(lines.join("")).toContain("couldn't answer a person");
});
