import { afterAll, beforeAll, expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { shopTown } from "../../support/shop-town.ts";
import { clicks, says, whispers } from "../../support/speak.ts";
import { newest, type World } from "../../support/world.ts";

let town: World;
beforeAll(async () => void (town = await shopTown(["worker", "queue"])));
afterAll(() => town.close());

test("a wrong word offers the right one, and its button asks for it as if it had been typed", async () => {
  const { developer, approver, guest } = town;
  const before = count(town, "restartService");
  expect(await says(town, developer, "/gantry lst services")).toContain("I don't know lst.");
  expect(await clicks(town, developer, "Run /gantry list services")).toContain("web");

  await says(town, guest, "/gantry reboot web");
  await clicks(town, guest, "Run /gantry restart web");
  expect(whispers(guest).join("\n")).toMatch(/guest/u);

  await says(town, developer, "/gantry reboot web");
  await clicks(town, developer, "Run /gantry restart web");
  expect(newest(approver)).toContain("Restart web?");
  expect(count(town, "restartService")).toBe(before);
  await clicks(town, approver, "Approve");
  expect(count(town, "restartService")).toBe(before + 1);
});

test("two clicks on one suggestion request one change", async () => {
  const { developer } = town;
  const before = count(town, "updateService");

  await developer.says("scalee worker 3", { channel: "@gantry" });
  await town.settled();
  const label = "Run /gantry scale worker 3";
  await Promise.all([developer.clicks(label, { channel: "@gantry" }), developer.clicks(label, { channel: "@gantry" })]);
  await town.settled();

  expect(count(town, "updateService")).toBe(before + 1);
  expect((await town.service("worker")).target_instance_size).toBe(3);
  expect(JSON.stringify(developer.sees("@gantry"))).toContain("Scale worker to 3 · confirmed");
});

/** A click on a button of a message that the person's Slack still shows as it was. */
async function clicksOld({ at, trigger }: { readonly at: number; readonly trigger: string }) {
  const ask = { verb: "scale", share: false, args: { name: "queue", size: "3" } };
  const ts = `${Math.floor(at / 1_000)}.000100`;
  const payload = {
    type: "block_actions",
    trigger_id: trigger,
    user: { id: "U0DANA" },
    team: { id: "T0GANTRY" },
    channel: { id: "C0OPS" },
    container: { type: "message", message_ts: ts, channel_id: "C0OPS", is_ephemeral: true },
    response_url: "http://127.0.0.1:9/gone",
    actions: [{ type: "button", action_id: "run:0", block_id: "b", action_ts: trigger, value: JSON.stringify(ask) }],
  };
  await town.playground.deliver(payload);
  await town.settled();
}

test("a button that was used, and one from hours ago, request nothing and say so", async () => {
  const now = town.now().getTime();
  const before = count(town, "updateService");

  await clicksOld({ at: now, trigger: "1.1" });
  expect(count(town, "updateService")).toBe(before + 1);

  await clicksOld({ at: now, trigger: "2.2" });
  expect(whispers(town.developer).at(-1)).toContain("used already");

  await clicksOld({ at: now - 2 * 60 * 60_000, trigger: "3.3" });
  expect(whispers(town.developer).at(-1)).toContain("expired after an hour");
  expect(count(town, "updateService")).toBe(before + 1);
});
