import { App, HTTPReceiver } from "@slack/bolt";
import { freePort } from "./listen.ts";
import { answerCalls } from "./remote.ts";
import { signingSecret } from "./slash-command.ts";

/**
 * The floor: a Bolt app with one listener that acks. With `works`, it then does with plain fetch what `/gantry list`
 * needs: the two reads and the message, without a time limit, a check, or a word of its own.
 */

let works: { readonly apiUrl: string } | undefined;

const app = new App({
  receiver: new HTTPReceiver({ signingSecret }),
  authorize: () => Promise.resolve({ botToken: "xoxb-bench", botId: "B0BENCH", botUserId: "U0BOT" }),
});

app.command("/gantry", async ({ ack, body }) => {
  await ack();
  if (works === undefined) return;
  const headers = { username: "bench", authorization: "token bench-api-token" };
  const [services, jobs] = await Promise.all(
    (body.text === "list services" ? ["services"] : ["services", "jobs"]).map(async (kind) =>
      (await fetch(`${works?.apiUrl}/v1/regions/beijing1/${kind}`, { headers })).json(),
    ),
  );
  await fetch(body.response_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: JSON.stringify([services, jobs]).slice(0, 3000) }),
  });
});

const port = await freePort();
await app.start(port);

const calls = {
  port: () => port,
  work(apiUrl: string) {
    works = { apiUrl };
  },
};

export type BareAppCalls = typeof calls;

answerCalls(calls);
