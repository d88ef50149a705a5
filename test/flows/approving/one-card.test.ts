import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { notFullRun } from "../../support/full-run.ts";
import { buttons } from "../../support/kill-town.ts";
import { card, clicks, idOf, says, saysIn } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Messages in the channel itself, in no thread. */
function messages({ playground }: World): readonly string[] {
  return playground.messages("ops").map(({ text }) => text);
}

function stories({ playground }: World): readonly string[] {
  return playground.messages("ops").flatMap(({ replies }) => replies.map(({ text }) => text));
}

async function laterOn(town: World, minutes: number): Promise<void> {
  town.passMinutes(minutes);
  await town.sweep();
}

test("while Slack rate-limits the thread for 40 s there is one card without buttons, and its end is told once", async () => {
  await using town = await approvalTown();
  const { playground, developer } = town;
  await says(town, developer, "/gantry restart web");
  expect([messages(town).length, buttons(town).length]).toEqual([1, 3]);
  playground.faults.retryAfterSeconds = 40;
  playground.faults.answer("chat.postMessage", "429");

  await clicks(town, developer, "Cancel request");
  await laterOn(town, 0.3);
  await laterOn(town, 1);

  expect([messages(town).length, buttons(town)]).toEqual([1, []]);
  expect(stories(town)).toEqual([]);
  playground.faults.clear();
  await laterOn(town, 1);
  await laterOn(town, 1);
  expect(stories(town)).toEqual(["🚫 Dana Reyes cancelled it"]);
  expect(messages(town)).toHaveLength(1);
});

test("after a 429 for the card itself, waits as long as Slack asks", async () => {
  await using town = await approvalTown();
  const { playground } = town;
  playground.faults.retryAfterSeconds = 40;
  playground.faults.answer("chat.postMessage", "429");
  const tries = (): number =>
    playground.transcript().filter(({ kind, status }) => kind === "chat.postMessage" && status === 429).length;

  await says(town, town.developer, "/gantry restart web");
  await laterOn(town, 0.5);
  const before = tries();
  playground.faults.clear();
  await laterOn(town, 0.5);

  expect(before).toBe(1);
  expect(buttons(town)).toHaveLength(3);
});

test("a card whose answer is late is posted once; news in its thread whose answer Slack lost comes again, with a note", async () => {
  await using town = await approvalTown();
  const { playground } = town;
  playground.faults.lateMs = 3_000;
  playground.faults.answer("chat.postMessage", "late", 1);

  await town.developer.says("/gantry restart web");
  await town.until(() => messages(town).length > 0);
  // How long the bot's client waits is this machine's time: a full run takes it.
  if (notFullRun !== undefined) town.passSeconds(3);
  await town.settled();
  await laterOn(town, 1);

  expect(messages(town)).toHaveLength(1);
  expect(buttons(town)).toHaveLength(3);

  playground.faults.answer("chat.postMessage", "lost", 1);
  await clicks(town, town.developer, "Cancel request");
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await laterOn(town, 1);

  const cancelled = "🚫 Dana Reyes cancelled it";
  expect(stories(town)).toEqual([cancelled, `${cancelled}\nSent again: you may have it already.`]);
});

test("a message whose answer was lost never shows a button, so none stays live after the decision", async () => {
  await using town = await approvalTown();
  const { playground, approver } = town;
  playground.faults.answer("chat.postMessage", "lost", 1);

  await says(town, town.developer, "/gantry restart web");
  expect(messages(town)).toHaveLength(1);
  expect(buttons(town)).toEqual([]);
  await laterOn(town, 1);
  expect(messages(town)).toHaveLength(2);
  expect(buttons(town)).toHaveLength(3);

  await clicks(town, approver, "Approve");
  expect(count(town, "restartService")).toBe(1);
  expect(buttons(town)).toEqual([]);
  expect(town.developer.sees("ops")[0]?.text).toMatch(/Restart web\?[\s\S]*No buttons\?/u);
});

test("in an archived channel the requester alone gets the outcome, once, and the card is updated when the channel reopens", async () => {
  await using town = await approvalTown();
  const { playground, developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  const id = idOf(card(developer));
  playground.people.archive("ops");

  await saysIn(town, { person: approver, channel: "general" }, `/gantry approve ${id}`);
  await laterOn(town, 2);
  await laterOn(town, 2);
  await laterOn(town, 2);

  expect(count(town, "restartService")).toBe(1);
  const told = developer.sees("@gantry").filter(({ text }) => text.includes(id));
  expect(told.map(({ text }) => text)).toEqual([expect.not.stringMatching(/invite/u)]);
  playground.people.unarchive("ops");
  await laterOn(town, 2);
  expect(buttons(town)).toEqual([]);
  expect(card(developer)).toMatch(/Alex Kim/u);
});

test("when Slack refuses a card's blocks, its text says what to type, and no old button remains", async () => {
  await using town = await approvalTown();
  const { playground, developer, approver } = town;
  await says(town, developer, "/gantry stop web");
  const first = idOf(card(developer));
  playground.faults.answer("chat.postMessage", "blocks");
  playground.faults.answer("chat.update", "blocks");
  await says(town, approver, `/gantry reject ${first}`);
  expect(buttons(town)).toEqual([]);
  expect(card(developer)).toMatch(/Rejected: stop web[\s\S]*Couldn't show the layout/u);

  await says(town, developer, "/gantry restart web");
  const second = idOf(card(developer));
  expect(card(developer)).toContain(`/gantry approve ${second}`);
  expect(card(developer)).toMatch(/Couldn't show the buttons/u);
  await says(town, approver, `/gantry approve ${second}`);

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/^✅ web restarted[\s\S]*Couldn't show the buttons/u);
  const refusals = town.logged().filter(({ msg }) => msg === "Slack refused our blocks");
  expect(refusals.length).toBeGreaterThan(0);
});
