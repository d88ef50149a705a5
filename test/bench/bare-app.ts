import { App, HTTPReceiver } from "@slack/bolt";
import { answerRead, listed, type Works } from "./bare-work.ts";
import { freePort } from "./listen.ts";
import { loopDelayCalls } from "./loop-delay.ts";
import { answerCalls } from "./remote.ts";
import { signingSecret } from "./signed.ts";

/**
 * The floor: a Bolt app with a listener for each kind that acks. With `works`, it then does with plain fetch what has to
 * be done: for `/gantry list` the two reads and the message, for `/gantry scale` a form of one field, for Home the two
 * reads and their counts.
 */

let works: Works | undefined;

function callSlack(method: string, fields: Record<string, string>, { slackUrl }: Works): Promise<Response> {
  return fetch(`${slackUrl}/api/${method}`, { method: "POST", body: new URLSearchParams(fields) });
}

const plain = (text: string) => ({ type: "plain_text" as const, text }); // a word, not any text
const form = JSON.stringify({
  type: "modal",
  callback_id: "form",
  title: plain("Scale"),
  submit: plain("Scale"),
  blocks: [
    {
      type: "input",
      block_id: "size",
      label: plain("Instances"),
      element: { type: "number_input", action_id: "size", is_decimal_allowed: false },
    },
  ],
});
const options = Array.from({ length: 100 }, (_, at) => ({ text: plain(`service-${at}`), value: `service/${at}` }));

const app = new App({
  receiver: new HTTPReceiver({ signingSecret }),
  authorize: () => Promise.resolve({ botToken: "xoxb-bench", botId: "B0BENCH", botUserId: "U0BOT" }),
});

app.command("/gantry", async ({ ack, body }) => {
  await ack();
  if (works === undefined) return;
  if (body.text.startsWith("scale")) return void (await callSlack("views.open", opening(body.trigger_id), works));
  await answerRead(body, works);
});

function opening(triggerId: string): Record<string, string> {
  return { trigger_id: triggerId, view: form };
}

app.options(/^pick:/u, ({ ack }) => ack({ options }));

app.event("app_home_opened", async ({ event }) => {
  if (works === undefined) return;
  const lists = await listed(["services", "jobs"], works);
  const counts = lists.map((list) => countOf(list)).join(" and ");
  const blocks = [{ type: "section", text: { type: "mrkdwn", text: counts } }];
  await callSlack("views.publish", { user_id: event.user, view: JSON.stringify({ type: "home", blocks }) }, works);
});

function countOf(list: unknown): string {
  const { services, jobs } = list as { services?: unknown[]; jobs?: unknown[] }; // what workload-api.ts answers
  return services === undefined ? `${jobs?.length} jobs` : `${services.length} services`;
}

const port = await freePort();
await app.start(port);

const calls = {
  ...loopDelayCalls,
  port: () => port,
  work(given: Works) {
    works = given;
  },
};

export type BareAppCalls = typeof calls;

answerCalls(calls);
