import { describe, expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { killTown } from "../support/kill-town.ts";
import { onCallDecides, quorum } from "../support/policies.ts";
import { card, clicks, idOf, says, whispers } from "../support/speak.ts";

describe("a request whose rules became stricter while it waited", () => {
  test("does not run with too few approvals, says so, and runs once the missing one is given", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart web");
    town.setPolicy(quorum);

    await clicks(town, approver, "Approve");

    expect(count(town, "restartService")).toBe(0);
    expect(whispers(approver).at(-1)).toMatch(/still needs approval.*policy changed.*1 more approval is needed/su);
    expect(card(developer)).toMatch(
      /⏳.*policy changed since this was asked for\. 1 more approval is needed.*1 of 2/su,
    );
    expect(town.thread("ops").join("\n")).toMatch(/waits for approval again: The policy changed/u);
    expect(await says(town, developer, "/gantry history web")).toMatch(/Waiting for approval again/u);

    await clicks(town, town.playground.as("omar"), "Approve");

    expect(count(town, "restartService")).toBe(1);
    expect(card(developer)).not.toMatch(/policy changed/u);
  });

  test("counts only those who may approve now", async () => {
    await using town = await approvalTown();
    const { developer } = town;
    town.playground.people.leaveGroup("oncall", "alex");
    await says(town, developer, "/gantry restart web");
    town.setPolicy(onCallDecides);

    await clicks(town, town.approver, "Approve");

    expect(count(town, "restartService")).toBe(0);
    expect(card(developer)).toMatch(/Alex Kim's approval no longer counts.*0 of 1/su);
    await clicks(town, town.playground.as("omar"), "Approve");
    expect(count(town, "restartService")).toBe(1);
  });

  test("that now want the card in another channel: it is refused and says why", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart web");
    const elsewhere = town.playground.as("dana").channelId("general");
    town.setPolicy(quorum.replace("expires: 30m", `expires: 30m, post-in: ${elsewhere}`));

    await clicks(town, approver, "Approve");

    expect(count(town, "restartService")).toBe(0);
    expect(card(developer)).toMatch(/❌.*policy changed.*It can't get that here: .*channel/su);
    expect(whispers(approver).at(-1)).toMatch(/can't run, and nothing was sent/u);
  });

  test("that now require a reason: it is refused and says so", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart web");
    town.setPolicy(quorum.replace("votes: 2", "votes: 1, reason: required"));

    await clicks(town, approver, "Approve");

    expect(count(town, "restartService")).toBe(0);
    expect(card(developer)).toMatch(/requires a reason/u);
  });
});

const quorumOfGroup = quorum.replace("channel-members", "S0ONCALL");

test("who approved and was deactivated before the last approval does not count", async () => {
  await using town = await approvalTown({ policy: quorumOfGroup });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 4");
  await clicks(town, approver, "Approve");
  town.playground.people.joinGroup("oncall", "dana");
  town.playground.people.joinGroup("oncall", "gwen");
  town.playground.people.deactivate("alex");

  await clicks(town, town.playground.as("omar"), "Approve");

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/Alex Kim's approval no longer counts\. 1 more approval is needed.*1 of 2: Omar/su);
});

test("a request that nobody could approve any more is refused and says so", async () => {
  await using town = await approvalTown({ policy: quorum });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 4");
  await clicks(town, approver, "Approve");
  town.playground.people.deactivate("alex");

  await clicks(town, town.playground.as("omar"), "Approve");

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/❌.*Alex Kim's approval no longer counts.*only Omar Haddad could approve/su);
});

test("what was allowed and is left behind by a bot that died waits for approval, if the rules want that by now", async () => {
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
  expect(card(developer)).toMatch(/asks to scale.*policy changed.*2 approvals are needed.*0 of 2/su);
  await clicks(town, approver, "Approve");
  await clicks(town, town.playground.as("omar"), "Approve");
  expect(count(town, "updateService")).toBe(1);
});

test("what was allowed where nobody could approve it is refused, if the rules want approval by now", async () => {
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
  expect(card(town.developer, "@gantry")).toMatch(/❌.*2 approvals are needed\. It can't get that here/su);
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

test("a broken glass that was left behind does not run once nobody may break it", async () => {
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
  expect(card(town.developer)).toMatch(/❌.*Alex Kim may not do this any more/su);
});

test("a change that goes back to waiting does not stand beside an equal one that waits already", async () => {
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
  expect(cards.join("\n")).toContain(`an equal request, ${waiting}, already waits for approval`);
});
