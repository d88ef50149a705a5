import { expect, test } from "vitest";
import { createApi } from "../../../../src/api/client.ts";
import { troubledService } from "../../../../src/bot/compose/stand-ins/local-slack.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { sendTo } from "../../../../src/platform/http/send.ts";

const list = { op: "listServices", path: { region: "beijing1" }, query: undefined, body: undefined } as const;

test("a service that was switched down is unreachable for the bot, and back when it is switched on again", async () => {
  const clock = { ...machineClock, sleep: () => Promise.resolve() };
  const { send, switches } = troubledService(
    sendTo(async () => Response.json({ services: [] })),
    clock,
  );
  const api = createApi({ baseUrl: "http://service.test", send, clock });
  const account = api.as({ username: "dana", token: "secret" });
  const down = switches.find(({ label }) => label.endsWith("is down"));

  down?.set(true);
  await expect(account.send(list)).rejects.toMatchObject({ kind: "unreachable", maybeSent: false });

  down?.set(false);
  expect((await account.send(list)).services).toEqual([]);
});
