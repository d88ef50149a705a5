import { App, HTTPReceiver } from "@slack/bolt";
import { freePort } from "../support/free-port.ts";
import { answerCalls } from "./remote.ts";
import { signingSecret } from "./delivery.ts";

/**
 * The floor: a Bolt app with a listener that acks. Once it is told to work, it then does with plain fetch what has to be done
 * for `list` and `show`: the two reads and the message; without a time limit, a check, or a word of its own.
 */

let apiUrl: string | undefined;

const app = new App({
  receiver: new HTTPReceiver({ signingSecret }),
  authorize: () => Promise.resolve({ botToken: "xoxb-bench", botId: "B0BENCH", botUserId: "U0BOT" }),
});

app.command("/gantry", async ({ ack, body: { text, response_url } }) => {
  await ack();
  if (apiUrl === undefined) return;
  // A log is read when it is known that there is one.
  const answers = text.startsWith("show")
    ? [await read("services/web"), await read("services/web/logs?date=2026-11-20&from=0&size=200")]
    : await Promise.all(["services", "jobs"].map(read));
  await fetch(response_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: JSON.stringify(answers).slice(0, 3000) }),
  });
});

async function read(path: string): Promise<unknown> {
  const headers = { username: "bench", authorization: "token bench-api-token" };
  return (await fetch(`${apiUrl}/v1/regions/beijing1/${path}`, { headers })).json();
}

const port = await freePort();
await app.start(port);

const calls = {
  port: () => port,
  work(works: { readonly apiUrl: string }) {
    apiUrl = works.apiUrl;
  },
};

export type BareAppCalls = typeof calls;

answerCalls(calls);
