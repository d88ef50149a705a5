import { expect, test } from "vitest";
import { happened } from "../../support/channel-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { clicks, form, says, whispers } from "../../support/speak.ts";
import type { Person } from "../../support/world.ts";
import { crashing, type WatchedTown, watchedTown, well } from "../../support/watched-town.ts";

/** In #ops are cards of two shops, of api, which is muted, and, newest, of web, and messages about what is watched. */
async function failingTown(): Promise<WatchedTown> {
  const town = await watchedTown({ policy: openPolicy });
  for (const name of ["web", "api", "shop-a", "shop-b"]) town.is(name, well);
  for (const names of ["web", "api", '"shop-*"']) await says(town, town.developer, `/gantry watch ${names} --after 0s`);
  await town.passes(1);
  for (const name of ["shop-a", "shop-b"]) town.is(name, crashing);
  await town.passes(1);
  town.is("api", crashing);
  await town.passes(1);
  await says(town, town.developer, "/gantry mute api 1h");
  town.is("web", crashing);
  await town.passes(1);
  return town;
}

const card = (town: WatchedTown, headline: RegExp): string => town.told().findLast((text) => headline.test(text)) ?? "";

/** Clicks below the newest card with this first line; gives what the person is told for their eyes only. */
async function clicksOn(town: WatchedTown, person: Person, headline: RegExp, label: string): Promise<string> {
  const { ts = "" } = town.developer.sees("ops").findLast(({ text }) => headline.test(text)) ?? {};
  await person.clicks(label, { thread: ts });
  await town.settled();
  return whispers(person).at(-1) ?? "";
}

/** Every button below what Gantry tells in a channel. */
const buttons =
  "Logs, Why, Restart, Mute 1 h, I'm on it, Hand over…, I'm no longer on it, Show all, Stop watching, Unmute".split(
    ", ",
  );

test("every button of an incident and a watch asks policy about whoever clicks", async () => {
  await using town = await failingTown();
  const { developer, guest, playground } = town;
  const robin = playground.people.addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" });
  await clicksOn(town, town.approver, /^🔴 api/u, "I'm on it");
  const before = { told: town.told(), mutes: await town.store().mutesOf("T0PLAYGR") };
  const shown = before.told.join("\n");
  for (const label of buttons) expect(shown).toContain(label);

  for (const [person, why] of [
    [guest, /for guests/u],
    [robin, /for people from other organizations/u],
  ] as const) {
    for (const label of buttons) {
      const known = whispers(person).length;
      await clicks(town, person, label);
      const told = [...whispers(person).slice(known), form(person)].join("\n");
      expect(`${label}: ${told}`).toMatch(why);
      if (person.modal() !== undefined) await person.clicks("Close");
    }
  }

  expect(town.told()).toEqual(before.told);
  expect(await town.store().mutesOf("T0PLAYGR")).toEqual(before.mutes);
  expect((await happened(town)).filter((each) => /^(?:taken|muted|unmuted|unwatched)/u.test(each))).toHaveLength(2);
  expect(await says(town, developer, "/gantry history web")).toContain("Refused: watch web · asked by Gwen Moss");
});

test("who is on it is on the card and in history, and has to see all that the card lists", async () => {
  await using town = await failingTown();
  const { approver, developer } = town;

  await clicksOn(town, approver, /^🔴 web/u, "I'm on it");

  expect(card(town, /^🔴 web/u)).toMatch(/^👋 Alex Kim is on it$/mu);
  expect(await says(town, developer, "/gantry history web")).toContain("👋 Took care of web · by Alex Kim");

  for (const does of ["getService", "watch"]) {
    const rule = `  - { name: no ${does}, who: everyone, does: ${does}, workloads: { name: shop-b }, then: refuse }`;
    town.setPolicy(openPolicy.replace("rules:", `rules:\n${rule}`));
    expect(await clicksOn(town, developer, /^🔴 2 /u, "I'm on it")).toContain(`no ${does}`);
  }
  await says(town, developer, "/gantry use --names shop-a --lock");
  expect(await clicksOn(town, developer, /^🔴 2 /u, "I'm on it")).toMatch(/locked/u);
  await says(town, developer, "/gantry use --clear");

  town.setPolicy(openPolicy);
  await clicksOn(town, developer, /^🔴 2 /u, "I'm on it");
  expect(card(town, /^🔴 2 /u)).toMatch(/^👋 Dana Reyes is on it$/mu);
  expect(await happened(town)).toContain("taken Dana Reyes: shop-a, shop-b");
});

test("that the workload API is away is for everybody who may watch something here", async () => {
  await using town = await watchedTown({ policy: openPolicy });
  const { approver, developer, guest } = town;
  await says(town, developer, '/gantry watch "shop-*" --after 0s');
  await town.passes(1);
  town.setPolicy(`
rules:
  - { name: shops, who: members, does: watch, workloads: { name: shop-* }, then: allow }`);
  town.setAway(true);
  await town.passes(10);
  const away = /^🔴 The workload API/u;
  expect(card(town, away)).toContain("[I'm on it]");

  await clicks(town, guest, "I'm on it");
  expect(whispers(guest).at(-1)).toMatch(/for guests/u);
  expect(card(town, away)).not.toContain("👋");
  await clicks(town, approver, "I'm on it");
  expect(card(town, away)).toMatch(/^👋 Alex Kim is on it$/mu);
});
