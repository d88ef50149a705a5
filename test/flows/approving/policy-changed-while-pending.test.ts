import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { approvalTown, count, counting } from "../../support/approval-town.ts";
import { killTown } from "../../support/kill-town.ts";
import { onCallDecides, quorum } from "../../support/policies.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

describe("a request whose policy became stricter while it was pending", () => {
  let town: World;
  beforeAll(async () => {
    town = await shopTown(["late", "uncounted", "elsewhere", "unexplained"]);
  });
  beforeEach(() => town.setPolicy(defaultPolicyText));
  afterAll(async () => town.close());

  test("doesn't run with too few approvals, says so, and runs after the missing one", async () => {
    const { developer, approver } = town;
    const calls = counting(town);
    await says(town, developer, "/gantry restart late");
    town.setPolicy(quorum);

    await clicks(town, approver, "Approve");

    expect(calls("restartService")).toBe(0);
    expect(whispers(approver).at(-1)).toMatch(/more approvals are needed.*policy changed.*1 more approval is needed/su);
    expect(card(developer)).toMatch(/⏳.*policy changed since the request\. 1 more approval is needed.*1 of 2/su);
    expect(town.thread("ops").join("\n")).toMatch(/Needs another approval: The policy changed/u);
    expect(await says(town, developer, "/gantry history late")).toContain("⏳ Restart late? 1 of 2 approvals");

    await clicks(town, town.playground.as("omar"), "Approve");

    expect(calls("restartService")).toBe(1);
    expect(card(developer)).not.toMatch(/policy changed/u);
  });

  test("counts only approvals from people who may approve now", async () => {
    const { developer } = town;
    const calls = counting(town);
    town.playground.people.leaveGroup("oncall", "alex");
    await says(town, developer, "/gantry restart uncounted");
    town.setPolicy(onCallDecides);

    await clicks(town, town.approver, "Approve");

    expect(calls("restartService")).toBe(0);
    expect(card(developer)).toMatch(/Alex Kim's approval no longer counts.*0 of 1/su);
    await clicks(town, town.playground.as("omar"), "Approve");
    expect(calls("restartService")).toBe(1);
    town.playground.people.joinGroup("oncall", "alex");
  });

  test("is refused with the reason when policy now wants the card in another channel", async () => {
    const { developer, approver } = town;
    const calls = counting(town);
    await says(town, developer, "/gantry restart elsewhere");
    const elsewhere = town.playground.as("dana").channelId("general");
    town.setPolicy(quorum.replace("expires: 30m", `expires: 30m, post-in: ${elsewhere}`));

    await clicks(town, approver, "Approve");

    expect(calls("restartService")).toBe(0);
    expect(card(developer)).toMatch(/❌.*policy changed.*That isn't possible here: .*channel/su);
    expect(whispers(approver).at(-1)).toMatch(/the policy now refuses to .* Nothing was changed/u);
  });

  test("is refused with the reason when policy now requires a reason", async () => {
    const { developer, approver } = town;
    const calls = counting(town);
    await says(town, developer, "/gantry restart unexplained");
    town.setPolicy(quorum.replace("votes: 2", "votes: 1, reason: required"));

    await clicks(town, approver, "Approve");

    expect(calls("restartService")).toBe(0);
    expect(card(developer)).toMatch(/requires a reason/u);
  });
});

const quorumOfGroup = quorum.replace("channel-members", "S0ONCALL");

test("doesn't count an approver who was deactivated before the last approval", async () => {
  await using town = await approvalTown({ policy: quorumOfGroup });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 4");
  await clicks(town, approver, "Approve");
  town.playground.people.joinGroup("oncall", "dana");
  town.playground.people.joinGroup("oncall", "gwen");
  town.playground.people.deactivate("alex");

  await clicks(town, town.playground.as("omar"), "Approve");

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/Alex Kim's approval no longer counts\. 1 more approval is needed.*1 of 2 \(Omar/su);
});

test("a request that nobody can approve any more is refused with the reason", async () => {
  await using town = await approvalTown({ policy: quorum });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 4");
  await clicks(town, approver, "Approve");
  town.playground.people.deactivate("alex");

  await clicks(town, town.playground.as("omar"), "Approve");

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/❌.*Alex Kim's approval no longer counts.*only Omar Haddad could approve/su);
});

test("an allowed change left behind by a crashed bot needs approval if policy now requires it", async () => {
  const { town, stalls } = await killTown();
  await using _town = town;
  const { developer, approver } = town;
  stalls.at("claim", "before");
  await developer.says("/gantry scale web 4");
  await town.until(stalls.isReached);
  stalls.clear();
  town.setPolicy(quorum);

  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/⏳ Scale web.*policy changed.*2 approvals are needed.*0 of 2/su);
  await clicks(town, approver, "Approve");
  await clicks(town, town.playground.as("omar"), "Approve");
  expect(count(town, "updateService")).toBe(1);
});

test("an allowed change where nobody can approve is refused if policy now requires approval", async () => {
  const { town, stalls } = await killTown();
  await using _town = town;
  stalls.at("claim", "before");
  await town.developer.says("/gantry scale web 4", { channel: "@gantry" });
  await town.until(stalls.isReached);
  stalls.clear();
  town.setPolicy(quorum);

  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect(count(town, "updateService")).toBe(0);
  expect(card(town.developer, "@gantry")).toMatch(/❌.*2 approvals are needed\. That isn't possible here/su);
});

const glass = `
rules:
  - name: on call may break the glass
    who: [S0ONCALL]
    does: [routine, disruptive, destructive]
    then: break-glass
  - name: all else
    who: [members]
    does: [read, routine, disruptive, destructive]
    then: allow
`;

test("a break-glass change left behind doesn't run once nobody may break the glass", async () => {
  const { town, stalls } = await killTown({ policy: glass });
  await using _town = town;
  stalls.at("claim", "before");
  await town.approver.says('/gantry restart web --break-glass --reason "orders fail"');
  await town.until(stalls.isReached);
  stalls.clear();
  town.setPolicy(quorum);

  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect(count(town, "restartService")).toBe(0);
  expect(card(town.developer)).toMatch(/❌.*Alex Kim may no longer do this/su);
});

test("a change doesn't become pending again next to a pending duplicate", async () => {
  const { town, stalls } = await killTown();
  await using _town = town;
  const { developer } = town;
  stalls.at("claim", "before");
  await developer.says("/gantry scale web 4");
  await town.until(stalls.isReached);
  stalls.clear();
  town.setPolicy(quorum);
  await town.approver.says("/gantry scale web 4");
  await town.until(() => card(developer).includes("[Approve]"));
  const waiting = idOf(card(developer));

  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect(count(town, "updateService")).toBe(0);
  const cards = developer.sees("ops").map(({ text }) => text);
  expect(cards.filter((text) => text.includes("[Approve]"))).toHaveLength(1);
  expect(cards.join("\n")).toContain(`the same request, ${waiting}, is already waiting for approval`);
});
