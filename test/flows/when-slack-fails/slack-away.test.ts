import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { killTown } from "../../support/kill-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { quorum } from "../../support/policies.ts";
import { card, says, whispers } from "../../support/speak.ts";
import { createStalls } from "../../support/stalls.ts";
import type { World } from "../../support/world.ts";

/** Who may ask depends on a group, so Slack is asked who is in it. */
const onCallAsks = quorum
  .replace(/who: \[members\](?=\n {4}does: \[routine)/u, "who: [S0ONCALL]")
  .replace("votes: 2", "votes: 1");

/** Slack takes nothing that is said to one person, by any way. */
function goDeaf({ playground }: World): void {
  playground.faults.answer("response_url", "500");
  playground.faults.answer("chat.postEphemeral", "500");
}

/** Slack takes everything again, and the bot looks what there is to do. */
async function comeBack(town: World, minutes = 1): Promise<void> {
  town.playground.faults.clear();
  town.passMinutes(minutes);
  await town.sweep();
  await town.sweep();
}

test("whoever could not be told that nothing was done is told when Slack is back, and nothing is done then", async () => {
  await using town = await approvalTown();
  const { developer, playground } = town;
  playground.faults.answer("all", "500");

  const { acked } = await developer.says("/gantry scale web 3");
  await town.settled();
  await comeBack(town);

  expect(acked).toBe(true);
  expect(whispers(developer)).toEqual([
    expect.stringMatching(/Couldn't read your Slack profile.*Nothing was changed/u),
  ]);
  expect(count(town, "updateService")).toBe(0);
  await comeBack(town);
  expect(whispers(developer)).toHaveLength(1);
});

test.each([
  ["that it was so already", "developer", "/gantry scale web 2", /2 instances|already/u],
  [
    "that it is not allowed, and why",
    "guest",
    "/gantry scale web 3",
    /no policy rule allows it for guests.*Nothing was changed/su,
  ],
] as const)("an answer that Slack swallowed (%s) is said later, and nothing is asked again", async (...story) => {
  await using town = await approvalTown();
  const [, who, text, words] = story;
  const person = town[who];
  goDeaf(town);

  await says(town, person, text);
  const calls = town.calls().length;
  const told = whispers(person).length;
  await comeBack(town);

  expect(told).toBe(0);
  expect(whispers(person)).toEqual([expect.stringMatching(words)]);
  expect(town.calls()).toHaveLength(calls);
  const events = await town.store().history({ teamId: "T0PLAYGR", limit: 10 });
  expect(events.map(({ kind }) => kind)).toEqual(who === "guest" ? ["refused"] : []);
});

test("a vote that counted while Slack was deaf is on the card when Slack is back, and counts once", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  goDeaf(town);

  await approver.clicks("Approve");
  await town.settled();
  await comeBack(town);

  expect(card(developer)).toMatch(/web restarted/u);
  expect(whispers(approver)).toEqual([]);
  expect(count(town, "restartService")).toBe(1);
});

test("a bot that has to stop before Slack is back leaves the words to the next one", async () => {
  await using town = await approvalTown({ drain: { graceMs: 20, goodbyeMs: 2_000 } });
  const { developer } = town;
  goDeaf(town);
  await says(town, developer, "/gantry scale web 2");

  await town.stopBot();
  town.playground.faults.clear();
  await town.restartBot();
  town.passSeconds(20);
  await town.sweep();

  expect(whispers(developer)).toHaveLength(1);
});

test("a bot that is stopped in the middle, and cannot say so, leaves all of it to the next one", async () => {
  const stalls = createStalls();
  await using town = await approvalTown({ drain: { graceMs: 20, goodbyeMs: 5_000 }, via: stalls.via });
  stalls.at("getService", "before");
  await town.developer.says("/gantry scale web 3");
  await town.until(stalls.isReached);
  stalls.clear();
  goDeaf(town);

  await town.stopBot();
  town.playground.faults.clear();
  await town.restartBot();
  await town.settled();

  expect(count(town, "updateService")).toBe(1);
  expect(card(town.developer)).toMatch(/^(?:✅|🟡) web scaled to 3.*instances 2 → 3/su);
  expect(whispers(town.developer)).toEqual([]);
});

test("Slack that stays deaf is given up after minutes, and the log says whom it kept from what", async () => {
  await using town = await approvalTown();
  goDeaf(town);
  await says(town, town.developer, "/gantry scale web 2");

  for (let minute = 0; minute < 8; minute += 1) {
    town.passMinutes(2);
    await town.sweep();
  }
  await comeBack(town);

  expect(whispers(town.developer)).toEqual([]);
  const given = town.logged().filter(({ msg }) => msg === "couldn't answer a person");
  expect(given).toHaveLength(5);
});

test("where no card can stand and nothing can be said in the channel, the requester reads the end in a direct message", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { developer } = town;
  goDeaf(town);

  await developer.says("/gantry scale web 3", { channel: "general" });
  await town.settled();
  await comeBack(town);

  expect(count(town, "updateService")).toBe(1);
  expect(whispers(developer, "general")).toEqual([]);
  expect(developer.sees("@gantry").map(({ text }) => text)).toEqual([expect.stringMatching(/instances 2 → 3/iu)]);
  expect(card(developer)).toBe("");
});

test("where no card can stand, nobody tries longer than the address for the answer lives", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  goDeaf(town);
  await town.developer.says("/gantry scale web 3", { channel: "general" });
  await town.settled();

  town.passMinutes(31);
  await town.sweep();
  // A connection may be replaced meanwhile.
  const said = () => town.playground.transcript().filter(({ kind }) => /^(?:chat\.|response_url)/u.test(kind)).length;
  const before = said();
  town.passMinutes(2);
  await town.sweep();
  await town.sweep();

  expect(before).toBeGreaterThan(0);
  expect(said()).toBe(before);
});

test.each([
  ["who asked", "users.info", undefined],
  ["who is in the channel", "conversations.members", undefined],
  ["who is in the group that may do it", "usergroups.users.list", onCallAsks],
] as const)("an approved change waits while Slack does not tell %s, and runs once it does", async (...story) => {
  const [, method, policy] = story;
  const { town, stalls } = await killTown(policy === undefined ? {} : { policy });
  await using _town = town;
  const { developer, approver, playground } = town;
  playground.people.joinGroup("oncall", "dana");
  await says(town, developer, "/gantry restart web");
  stalls.at("claim", "before");
  await approver.clicks("Approve");
  await town.until(stalls.isReached);
  stalls.clear();
  playground.faults.answer(method, "500");

  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect(count(town, "restartService")).toBe(0);
  expect(card(developer)).toMatch(/^⏳ Restart web: runs in a moment$/mu);
  expect(card(developer)).not.toMatch(/❌|Slack didn't|\d of \d/u);

  await comeBack(town);

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/✅ web restarted/u);
});

test("an approved change for which Slack stays away for too long expires, and says that it did not run", async () => {
  const { town, stalls } = await killTown();
  await using _town = town;
  const { developer, approver, playground } = town;
  await says(town, developer, "/gantry restart web");
  stalls.at("claim", "before");
  await approver.clicks("Approve");
  await town.until(stalls.isReached);
  stalls.clear();
  playground.faults.answer("users.info", "500");
  await town.crashBot();
  await town.settled();

  await town.sweep();
  await comeBack(town, 11);

  expect(count(town, "restartService")).toBe(0);
  expect(card(developer)).toMatch(/expired|in time/iu);
});
