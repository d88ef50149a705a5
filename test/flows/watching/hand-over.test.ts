import { expect, test } from "vitest";
import { happened } from "../../support/channel-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { clicks, form, says, whispers } from "../../support/speak.ts";
import { crashing, type WatchedTown, watchedTown, well } from "../../support/watched-town.ts";
import type { Person } from "../../support/world.ts";

/** In #ops is the card of web, which Alex takes. */
async function takenTown(): Promise<WatchedTown> {
  const town = await watchedTown({ policy: openPolicy });
  town.is("web", well);
  await says(town, town.developer, "/gantry watch web --after 0s");
  await town.passes(1);
  town.is("web", crashing);
  await town.passes(1);
  await clicks(town, town.approver, "I'm on it");
  return town;
}

const card = (town: WatchedTown): string => town.told().find((text) => /^[🔴🟢] web/u.test(text)) ?? "";

async function handsOver(town: WatchedTown, person: Person, to: string): Promise<void> {
  await clicks(town, person, "Hand over…");
  await person.submits({ person: to });
  await town.settled();
}

test("who is on it hands it over: the card changes, and its thread mentions that person once", async () => {
  await using town = await takenTown();
  const { approver, developer } = town;
  const before = town.told().length;

  await handsOver(town, approver, "dana");

  expect(card(town)).toMatch(/^👋 Dana Reyes is on it, handed over by Alex Kim$/mu);
  const news = town.told().filter((text) => text.includes("handed this incident over"));
  expect(news).toEqual([expect.stringMatching(/^↳ 👋 @dana, Alex Kim handed this incident over to you\.$/u)]);
  await town.restartBot();
  await town.passes(2);
  expect(town.told()).toHaveLength(before + 1);
  expect(await happened(town)).toContain("handed-over Alex Kim: to Dana Reyes");
  expect(await says(town, developer, "/gantry history web")).toContain(
    "👋 Handed over web to Dana Reyes · by Alex Kim",
  );
});

test("another person takes it over on the one card, and who has it no longer leaves it; nobody else reads of that", async () => {
  await using town = await takenTown();
  const { approver, developer } = town;
  const before = town.told().filter((text) => !text.includes("is on it now")).length;

  await clicks(town, developer, "I'm on it");
  expect(card(town)).toMatch(/^👋 Dana Reyes is on it, taken over from Alex Kim$/mu);
  await clicks(town, approver, "I'm no longer on it");
  expect(whispers(approver).at(-1)).toBe("Dana Reyes is on it now, not you. Nothing was changed.");
  await clicks(town, approver, "Hand over…");
  expect(whispers(approver).at(-1)).toBe("Dana Reyes is on it now, not you. Nothing was changed.");
  expect(form(approver)).toBe("");

  await clicks(town, developer, "I'm no longer on it");
  expect(card(town)).not.toContain("👋");
  expect(card(town)).toMatch(/\[I'm on it\] \[Logs\]/u);
  expect(town.told()).toHaveLength(before);
  expect(await happened(town)).toContain("released Dana Reyes: ");
});

test("a form that was open while somebody else took the incident over changes nothing, and says who is on it", async () => {
  await using town = await takenTown();
  const { approver, developer } = town;
  await handsOver(town, approver, approver.id);
  expect(whispers(approver).at(-1)).toBe("You're on it already. Nothing was changed.");

  for (const to of [approver.id, developer.id]) {
    if (to === developer.id) await clicks(town, approver, "I'm on it");
    await clicks(town, approver, "Hand over…");
    await clicks(town, developer, "I'm on it");
    await approver.submits({ person: to });
    await town.settled();
    expect(whispers(approver).at(-1)).toBe("Dana Reyes is on it now, not you. Nothing was changed.");
  }

  expect(card(town)).toMatch(/^👋 Dana Reyes is on it, taken over from Alex Kim$/mu);
});

test("a form that was open while the incident ended hands nothing over, and mentions nobody", async () => {
  await using town = await takenTown();
  const { approver, developer } = town;
  await clicks(town, approver, "Hand over…");
  town.is("web", well);
  await town.passes(30);

  await approver.submits({ person: developer.id });
  await town.settled();

  expect(whispers(approver).at(-1)).toBe("This incident is over. Nothing was changed.");
  expect(town.told().join("\n")).not.toContain("handed this incident over");
});

test("it is handed only to a person in this channel who may see what it is about", async () => {
  await using town = await takenTown();
  const { approver, guest, playground } = town;
  const outside = playground.people.addPerson("nina", ["general"]);

  for (const [to, why] of [
    [outside.id, "isn't in this channel."],
    [guest.id, "Policy hides some of this incident from"],
  ] as const) {
    await handsOver(town, approver, to);
    expect(whispers(approver).at(-1)).toContain(why);
  }

  playground.people.deactivate("dana");
  await handsOver(town, approver, town.developer.id);
  expect(whispers(approver).at(-1)).toContain("is an app or a deactivated account.");

  expect(
    town.approver
      .sees("ops")
      .map(({ text }) => text)
      .join("\n"),
  ).toMatch(/^👋 Alex Kim is on it$/mu);
  expect(form(approver)).toBe("");
});
