import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { count, counting } from "../../support/approval-town.ts";
import { killTown } from "../../support/kill-town.ts";
import { onCallDecides, quorum } from "../../support/policies.ts";
import { createsServices, shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

describe("a request whose policy became stricter while it was pending", () => {
  let town: World;
  beforeAll(async () => {
    town = await shopTown(["late", "uncounted", "elsewhere", "unexplained", "deactivated", "hopeless"]);
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
    expect(await says(town, developer, "/gantry history late")).toContain(
      "⏳ Asked to restart late · by Dana Reyes · 1 of 2 approvals",
    );

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

  test("doesn't count an approver who was deactivated before the last approval", async () => {
    const { developer, approver } = town;
    const { people } = town.playground;
    const calls = counting(town);
    town.setPolicy(quorum.replace("channel-members", "S0ONCALL"));
    await says(town, developer, "/gantry restart deactivated");
    await clicks(town, approver, "Approve");
    for (const name of ["dana", "gwen"]) people.joinGroup("oncall", name);
    people.deactivate("alex");

    await clicks(town, town.playground.as("omar"), "Approve");

    expect(calls("restartService")).toBe(0);
    expect(card(developer)).toMatch(
      /Alex Kim's approval no longer counts\. 1 more approval is needed.*1 of 2 \(Omar/su,
    );
    for (const name of ["dana", "gwen"]) people.leaveGroup("oncall", name);
    people.reactivate("alex");
  });

  test("is refused with the reason when nobody can approve it any more", async () => {
    const { developer, approver } = town;
    const { people } = town.playground;
    const calls = counting(town);
    town.setPolicy(quorum);
    await says(town, developer, "/gantry restart hopeless");
    await clicks(town, approver, "Approve");
    people.deactivate("alex");

    await clicks(town, town.playground.as("omar"), "Approve");

    expect(calls("restartService")).toBe(0);
    expect(card(developer)).toMatch(/❌.*Alex Kim's approval no longer counts.*only Omar Haddad could approve/su);
    people.reactivate("alex");
  });
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

describe("changes that policy allowed, and that a bot left behind when it was killed", () => {
  let town: World;
  beforeAll(async () => {
    const killed = await killTown({ policy: glass });
    ({ town } = killed);
    const { stalls } = killed;
    const { developer, approver } = town;
    await createsServices(town, ["asked", "alone", "broken", "twice"]);
    for (const [person, text, channel] of [
      [developer, "/gantry scale asked 4", "ops"],
      [developer, "/gantry scale alone 4", "@gantry"],
      [approver, '/gantry restart broken --break-glass --reason "orders fail"', "ops"],
      [developer, "/gantry scale twice 4", "ops"],
    ] as const) {
      stalls.at("claim", "before");
      await person.says(text, { channel });
      await town.until(stalls.isReached);
    }
    stalls.clear();
    town.setPolicy(quorum);
    await approver.says("/gantry scale twice 4");
    await town.until(() => card(developer).includes("[Approve]"));

    await town.crashBot();
    await town.settled();
    await town.sweep();
  });
  afterAll(async () => town.close());

  const cardsOf = (name: string, channel = "ops"): readonly string[] =>
    town.developer
      .sees(channel)
      .map(({ text }) => text)
      .filter((text) => text.split("\n")[0]?.includes(name));

  test("aren't sent, and need approvals where policy now requires them", async () => {
    const { approver } = town;
    expect([count(town, "updateService"), count(town, "restartService")]).toEqual([0, 0]);
    expect(cardsOf("asked").at(-1)).toMatch(/⏳ Scale asked.*policy changed.*2 approvals are needed.*0 of 2/su);
    const id = idOf(cardsOf("asked").at(-1) ?? "");

    for (const person of [approver, town.playground.as("omar")]) await says(town, person, `/gantry approve ${id}`);

    expect(count(town, "updateService")).toBe(1);
  });

  test("are refused where nobody could approve them", () => {
    expect(cardsOf("alone", "@gantry").at(-1)).toMatch(/❌.*2 approvals are needed\. That isn't possible here/su);
  });

  test("with break-glass don't run once nobody may break the glass", () => {
    expect(cardsOf("broken").at(-1)).toMatch(/❌.*Alex Kim may no longer do this/su);
  });

  test("don't become pending again next to a pending duplicate", () => {
    const cards = cardsOf("twice");
    const waiting = cards.filter((text) => text.includes("[Approve]"));
    expect(waiting).toHaveLength(1);
    expect(cards.join("\n")).toContain(`the same request, ${idOf(waiting[0] ?? "")}, is already waiting for approval`);
  });
});
