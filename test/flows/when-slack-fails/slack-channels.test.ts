import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { awayStore } from "../../support/away-store.ts";
import { connectsChannel, teams, usedFor } from "../../support/linking.ts";
import { quorum } from "../../support/policies.ts";
import { card, clicks, idOf, says, saysIn, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Somebody of another organization joins, which shares the channel. Gives its new id. */
async function shares(town: World, channel: string): Promise<string> {
  const { playground, developer } = town;
  playground.people.addOutsider({ name: "robin", realName: "Robin Vale", channel });
  const id = developer.channelId(channel);
  const arrived = () =>
    playground
      .transcript()
      .some(
        ({ kind, request, ms }) =>
          kind === "event_callback" && ms !== undefined && JSON.stringify(request).includes(id),
      );
  await town.until(arrived);
  await town.settled();
  return id;
}

/** #ops is private, and everything that people set up there is set up. */
async function privateTown(policy?: string): Promise<World> {
  const town = await approvalTown({ users: [teams], ...(policy !== undefined && { policy }) });
  town.playground.people.setPrivate("ops", true);
  return town;
}

test("when a channel's id changes, its lock, its account and its waiting request go with it", async () => {
  await using town = await privateTown();
  const { developer, approver, playground } = town;
  await connectsChannel(town, developer, teams);
  await says(town, developer, '/gantry use --names "web" --lock');
  await says(town, developer, "/gantry restart web");
  const id = idOf(card(developer));
  playground.faults.deliverTwice = true;

  const moved = await shares(town, "ops");
  playground.faults.deliverTwice = false;

  expect(moved).not.toBe("C0OPS");
  expect(await says(town, approver, "/gantry show other")).toMatch(/Dana Reyes locked this channel to the names web/u);
  await clicks(town, approver, "Approve");
  expect(usedFor(town, "restartService")).toEqual([teams.username]);
  expect(card(developer)).toMatch(new RegExp(`web restarted[\\s\\S]*${id}`, "u"));
  const cards = developer.sees("ops").filter(({ text, threadTs }) => threadTs === undefined && text.includes(id));
  expect(cards).toHaveLength(1);
  expect(
    playground.transcript().filter(({ answer }) => JSON.stringify(answer ?? "").includes("channel_not_found")),
  ).toEqual([]);
  expect(await town.store().bindingOf("T0PLAYGR", "C0OPS")).toBeUndefined();
});

test("a card that was approved while nobody knew the channel's new id is drawn once it is known", async () => {
  const database = awayStore();
  await using town = await approvalTown({ store: database.wrap });
  const { developer, approver, playground } = town;
  playground.people.setPrivate("ops", true);
  await says(town, developer, "/gantry restart web");
  database.leave();

  await shares(town, "ops");
  database.comeBack();
  town.passSeconds(5);
  await town.until(() => town.logged().some(({ msg }) => msg === "a channel has another id"));
  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/web restarted/u);
});

test("policy rules that name a channel's old id go on applying, and the channel reads which to correct", async () => {
  const named = `${quorum.replace("who: [members]\n    does: [routine", "who: [members]\n    where: [C0OPS]\n    does: [routine")}
  - { name: elsewhere, who: [members], does: [routine, disruptive], then: allow }
`;
  await using town = await privateTown(named);
  const { developer, approver } = town;

  const moved = await shares(town, "ops");
  const told = developer.sees("ops").at(-1)?.text;
  await town.sweep();
  await says(town, developer, "/gantry restart web");
  await clicks(town, approver, "Approve");

  expect(told).toMatch(/new ID\. Everything set up here goes on, but these rules of policy\.yaml.*: two eyes more\./u);
  expect(told).toContain(`replace C0OPS with ${moved} there`);
  expect(card(developer)).toMatch(/1 of 2/u);
  expect(count(town, "restartService")).toBe(0);
  await town.restartBot();
  await clicks(town, town.playground.as("omar"), "Approve");
  expect(count(town, "restartService")).toBe(1);
});

test.each([
  ["gets another name", ({ playground }: World) => playground.people.rename("ops", "operations"), "operations"],
  ["becomes private", ({ playground }: World) => playground.people.setPrivate("ops", true), "ops"],
] as const)("a request waits on when its channel %s, and ends on its card", async (_what, changes, name) => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");

  changes(town);
  await approver.clicks("Approve", { channel: name });
  await town.settled();

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer, name)).toMatch(/web restarted[\s\S]*Alex Kim/u);
  expect(await saysIn(town, { person: developer, channel: name }, "/gantry use")).toContain(`#${name}`);
});

test("a private channel without the bot is closed to it: what needs approval is refused, the rest is answered", async () => {
  await using town = await approvalTown();
  const { developer, playground } = town;
  playground.people.setPrivate("ops", true);
  playground.people.remove("ops", "gantry");

  expect(await says(town, developer, "/gantry restart web")).toMatch(/invite/u);
  expect(await says(town, developer, "/gantry show web")).toMatch(/web · running/u);
  expect(count(town, "restartService")).toBe(0);
});

test("a request goes on after the bot was removed from its channel, and its end is on the card", async () => {
  await using town = await approvalTown();
  const { developer, approver, playground } = town;
  await says(town, developer, "/gantry restart web");
  playground.people.remove("ops", "gantry");

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/web restarted/u);
  // The card says it, so nothing repeats it.
  expect(whispers(approver)).toEqual([]);
});
