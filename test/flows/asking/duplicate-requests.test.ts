import { afterAll, beforeAll, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { onCallDecides } from "../../support/policies.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, says, saysIn, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** The cards about a workload that can be approved. */
function cards({ developer }: World, name: string): readonly string[] {
  return developer
    .sees("ops")
    .filter(({ isEphemeral, text }) => !isEphemeral && text.includes("[Approve]") && text.includes(name))
    .map(({ text }) => text);
}

let town: World;
beforeAll(async () => void (town = await shopTown(["queue", "shop"])));
afterAll(() => town.close());

test("while a request is pending, a duplicate links to its card, and whoever may approve it can do so there", async () => {
  const { developer, approver } = town;
  const before = count(town, "restartService");
  await says(town, developer, "/gantry restart web");
  const id = idOf(card(developer));

  const again = await says(town, developer, "/gantry restart web");
  const told = await says(town, approver, "/gantry restart web");

  expect(again).toMatch(new RegExp(`Already waiting: Restart web[^]*${id}`, "u"));
  expect(again).toMatch(/You requested it in #ops.*0 of 1/su);
  expect(again).toContain("[Cancel request]");
  expect(again).toContain("[Open card]");
  expect(cards(town, "web")).toHaveLength(1);
  expect(told).toMatch(/Dana Reyes requested it/u);
  await clicks(town, approver, "Approve");
  expect(count(town, "restartService")).toBe(before + 1);
});

test("show offers to review what waits for the workload, and nothing of others", async () => {
  const { developer, approver } = town;
  expect(await says(town, approver, "/gantry show shop")).not.toContain("Waiting:");
  await says(town, developer, "/gantry scale shop 0");

  expect(await says(town, approver, "/gantry show shop")).toMatch(/⏳ Waiting: scale, instances 1 → 0/u);
  const before = approver.sees("ops").length;
  await approver.clicks("Review");
  await town.settled();
  expect(approver.sees("ops").at(-1)?.text).toContain(idOf(card(developer)));
  expect(approver.sees("ops").length).toBe(before + 1);
});

/** Also guests may ask, who see no records of others. */
const everybodyAsks = onCallDecides.replace(/who: \[members\](?=\n {4}does: \[routine)/u, "who: everyone");

test("the only possible approver is told, and somebody who may not know of the request learns only that there is one", async () => {
  await using open = await approvalTown({ policy: everybodyAsks });
  const { developer, approver, guest } = open;
  open.playground.people.leaveGroup("oncall", "omar");
  await says(open, developer, "/gantry restart web");
  const id = idOf(card(developer));

  expect(await says(open, approver, "/gantry restart web")).toMatch(/Already waiting.*\[Approve\]/su);
  const elsewhere = await saysIn(open, { person: guest, channel: "@gantry" }, "/gantry restart service/web");

  expect(elsewhere).toBe("The same request is already waiting for approval. Nothing new was requested.");
  expect(cards(open, "web")).toHaveLength(1);
  // Where its card stands they read it anyway.
  expect(await says(open, guest, "/gantry restart service/web")).toMatch(
    new RegExp(`Already waiting: Restart web[^]*${id}`, "u"),
  );
});

test("who repeats a restart because Slack took no card reads how the first one ended, and one button runs it again", async () => {
  await using limited = await shopTown(["told"], { policy: openPolicy });
  const { developer, playground } = limited;
  playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 75 });
  await says(limited, developer, "/gantry restart told");
  expect(whispers(developer)).toEqual([expect.stringMatching(/told restarted/u)]);
  // Once its end was told, the same request is a new one.
  await says(limited, developer, "/gantry restart told");
  expect(count(limited, "restartService")).toBe(2);

  const before = whispers(developer);
  playground.faults.answer("chat.postMessage", "429", { retryAfterSeconds: 75 });
  playground.faults.answer("response_url", "500");
  await says(limited, developer, "/gantry restart web");
  expect(whispers(developer)).toEqual(before);
  playground.faults.answerNormally("response_url");

  const asked = await says(limited, developer, "/gantry restart web");

  expect(asked).toMatch(/web restarted[\s\S]*You requested the same \d+s ago[\s\S]*Nothing was requested again/u);
  expect(count(limited, "restartService")).toBe(3);
  // Somebody else's request is another one.
  await says(limited, limited.approver, "/gantry restart web");
  expect(count(limited, "restartService")).toBe(4);

  await clicks(limited, developer, "Run it again");
  expect(count(limited, "restartService")).toBe(5);
});
