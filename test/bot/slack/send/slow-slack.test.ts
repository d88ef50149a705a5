import { stillClock } from "../../../support/test-clock.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { listen } from "../../../../src/platform/http/listen.ts";
import { directNetwork } from "../../../../src/platform/http/network.ts";
import { createLog } from "../../../../src/platform/log.ts";
import { createBackOff } from "../../../../src/bot/slack/send/call.ts";
import { createClients } from "../../../../src/bot/slack/send/clients.ts";
import { createMessenger } from "../../../../src/bot/slack/send/messenger.ts";
import { sentence } from "../../../../src/bot/views/messages/sentences.ts";
import { notFullRun } from "../../../support/full-run.ts";

test("a Slack that takes seconds gets the time for an answer, and not for a form", async ({ skip }) => {
  skip(notFullRun !== undefined, notFullRun);
  const slow = async (): Promise<Response> => {
    await sleep(4_000);
    return Response.json({ ok: true, ts: "1.2", view: {} });
  };
  const { port, close } = await listen(slow, { host: "127.0.0.1", port: 0, variable: "PORT" });
  const log = createLog({ level: "silent", secrets: [] });
  const messenger = createMessenger({
    clients: createClients({ botToken: "xoxb-1", apiUrl: `http://127.0.0.1:${port}/api/` }, log),
    backOff: createBackOff(stillClock()),
    wait: () => Promise.resolve(),
    log,
    command: "/gantry",
    replies: { wait: () => Promise.resolve(), post: directNetwork.post },
  });

  const [answered, opened] = await Promise.all([
    messenger.post({ channel: "C0OPS" }, sentence("Everything is fine."), "answer"),
    messenger.openView({ triggerId: "1.2.3", user: "U0DANA", view: {} }),
  ]);

  expect([answered.ok, opened.ok]).toEqual([true, false]);
  await close();
});
