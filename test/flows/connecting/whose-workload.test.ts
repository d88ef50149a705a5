import { expect, test } from "vitest";
import { objectsOf } from "../../../src/playground/json.ts";
import { clickables } from "../../../src/playground/people/surfaces.ts";
import { approvalTown, count, createWeb, othersDelete, othersScale } from "../../support/approval-town.ts";
import { alexs, connects, connectsChannel, danas, teams, usedFor } from "../../support/linking.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { type RolloutTown, rolloutTown } from "../../support/rollout-town.ts";
import { crashing, watchedTown, well } from "../../support/watched-town.ts";
import { card, clicks, form, says, saysIn, whispers } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

// Dana has an account of her own, and everybody else uses the workspace's. Each account has a service named web.

const path = { region: "beijing1", service_name: "web" };

const belongs = /This belongs to the account dana-own, and you use the account gantry here\. Nothing was changed\./u;

/** Every button and menu option that the person sees in messages for everybody, with the message it is in. */
function everyButton(person: Person) {
  return person
    .sees("ops")
    .filter(({ isEphemeral, author }) => !isEphemeral && author === "gantry")
    .flatMap(({ ts, threadTs, blocks }) => clickables(blocks).map((label) => ({ label, thread: threadTs ?? ts })));
}

/** The accounts whose calls came after the first so many. */
function accountsSince(town: World, calls: number): ReadonlySet<string | null> {
  const since = town.sent().slice(calls);
  return new Set(since.map(({ username }) => username));
}

async function danaShows(town: RolloutTown): Promise<void> {
  const { developer } = town;
  await connects(town, developer, danas);
  await says(town, developer, "/gantry deploy web 1.5");
  town.isWell("web");
  await town.later(20);
  await says(town, developer, "/gantry scale web 4");
  for (const read of ["list", "show web", "why web", "logs web", "versions web"]) {
    await says(town, developer, `/gantry ${read} --share`);
  }
}

test("no button on what Dana showed of her own web reads or changes the web of another account", async () => {
  await using town = await rolloutTown(["web"]);
  const { developer, approver } = town;
  await danaShows(town);
  const buttons = everyButton(developer);
  const before = town.sent().length;

  const unanswered: string[] = [];
  for (const { label, thread } of buttons) {
    const told = whispers(approver).length;
    await approver.clicks(label, { thread });
    await town.settled();
    const said = [...whispers(approver).slice(told), form(approver)].join("\n");
    if (approver.modal() !== undefined) await approver.closes();
    if (!belongs.test(said)) unanswered.push(label);
  }

  expect(buttons.map(({ label }) => label)).toEqual(
    expect.arrayContaining(["Undo", "Tell me here", "Restart", "Delete", "Follow", "Filter", "Show", "Roll back"]),
  );
  expect(unanswered).toEqual([]);
  await approver.searches("pick:any@dana-own", "w");
  expect(town.sent().slice(before)).toEqual([]);
});

test("what Alex showed of the workspace's web acts on that one, also for Dana, who has an account of her own", async () => {
  await using town = await approvalTown({ users: [danas], policy: openPolicy });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, approver, "/gantry scale web 3");

  await clicks(town, developer, "Undo");

  expect(usedFor(town, "updateService")).toEqual(["gantry", "gantry"]);
  expect(card(developer)).toMatch(/instances 3 → 2/u);
  await says(town, approver, "/gantry show web --share");
  await clicks(town, developer, "Scale");
  expect(form(developer)).toMatch(/For the account \n?gantry/u);
  await developer.submits({ size: "5" });
  await town.settled();
  await developer.closes();
  expect(usedFor(town, "updateService")).toEqual(["gantry", "gantry", "gantry"]);
  expect(await clicks(town, developer, "Refresh")).toContain("Account: gantry");
});

test("where everybody acts with their own account, nobody is led to another person's web, nor to their own", async () => {
  await using town = await approvalTown({ users: [danas, alexs], policy: openPolicy, accountMode: "own" });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, developer, "/gantry scale web 3");
  const before = town.sent().length;

  expect(await clicks(town, approver, "Undo")).toMatch(
    /belongs to the account dana-own, and you have no account here/u,
  );
  await connects(town, approver, alexs);
  expect(await clicks(town, approver, "Undo")).toMatch(
    /belongs to the account dana-own, and you use the account alex/u,
  );

  expect(
    town
      .sent()
      .slice(before)
      .filter(({ op }) => op !== "listServices"),
  ).toEqual([]);
  expect(await clicks(town, developer, "Undo")).toMatch(/instances 3 → 2/u);
});

test("a button never acts on a later workload of the same name", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { developer } = town;
  await says(town, developer, "/gantry scale web 3");
  await othersDelete(town, "web");
  await createWeb(town, town.api);
  const again = /web was deleted and created again since that request/u;

  // The new one has the two instances that Undo would bring.
  expect(await clicks(town, developer, "Undo")).toMatch(again);
  await othersScale(town, "web", 4);
  expect(await clicks(town, developer, "Undo")).toMatch(again);

  expect(count(town, "updateService")).toBe(1);
});

test("what happened to the web of another account explains nothing", async () => {
  await using town = await approvalTown({ users: [danas], policy: openPolicy });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, approver, "/gantry scale web 3");
  await says(town, developer, "/gantry restart web");

  expect(await says(town, developer, "/gantry show web")).not.toContain("2 → 3");
  expect(await says(town, developer, "/gantry why web")).not.toContain("2 → 3");
  expect(await says(town, approver, "/gantry why web")).not.toContain("restarted");
  await says(town, developer, "/gantry scale web 5");
  await says(town, approver, "/gantry scale web 6");
  await town.apiAs(danas).send({ op: "updateService", path, query: undefined, body: { target_instance_size: 6 } });
  const thread = developer.sees("ops").find(({ text }) => text.includes("web scaled to 5"))?.ts ?? "";
  await developer.clicks("Undo", { thread });
  await town.settled();
  expect(whispers(developer).at(-1)).toContain("somebody set instances to 6 since then");
  await clicks(town, developer, "Go on");
  expect(await says(town, developer, "/gantry history web")).toMatch(
    /Scaled web to 2.*\n.*Scaled web to 6.* · account gantry.*\n.*Scaled web to 5.*\n.*Restarted web.*\n.*Scaled web to 3.* · account gantry/u,
  );
});

test("an alert about Dana's web restarts that one or none, and nothing of the other account is before it", async () => {
  await using town = await watchedTown({ policy: openPolicy });
  const { developer, approver } = town;
  town.is("web", well);
  await connects(town, developer, danas);
  await says(town, developer, "/gantry watch web --after 0s");
  await says(town, approver, "/gantry restart web");
  await town.passes(1);
  town.is("web", crashing);
  await town.passes(2);
  const [alert = ""] = town.told().filter((text) => text.includes("keeps crashing"));
  expect(alert).not.toContain("Before it");
  const before = town.sent().length;

  for (const label of ["Logs", "Why", "Restart"]) {
    expect(`${await clicks(town, approver, label)}${form(approver)}`, label).toMatch(belongs);
    if (approver.modal() !== undefined) await approver.closes();
  }

  expect(
    town
      .sent()
      .slice(before)
      .filter(({ username }) => username !== "dana-own"),
  ).toEqual([]);
  expect(await clicks(town, approver, "Mute 1 h")).toMatch(/^🔕 Muted until /mu);
  await says(town, approver, "/gantry watch web --after 0s");
  await says(town, developer, "/gantry unmute web");
  expect(developer.sees("ops").map(({ text }) => text)).toContainEqual(expect.stringContaining("unmuted web"));
});

test("Home acts on what it shows, whatever account the person has by then", async () => {
  await using town = await approvalTown({ users: [danas], policy: openPolicy });
  const { developer } = town;
  await developer.opensHome();
  await town.settled();
  town.playground.faults.answer("views.publish", "500", 100);
  await connects(town, developer, danas);
  const buttons = clickables(objectsOf(developer.home()?.content["blocks"])).filter((label) => label !== "Refresh");
  expect(buttons).toEqual(expect.arrayContaining(["Create", "Show", "Logs", "Restart", "Scale", "Stop"]));
  const before = town.sent().length;

  for (const label of buttons) {
    await developer.clicks(label, { home: true });
    await town.settled();
    if (developer.modal() === undefined) continue;
    expect(form(developer), label).toMatch(/For the account \n?gantry|Find|Show a workload|Connect/u);
    await developer.closes();
  }

  expect(accountsSince(town, before)).toEqual(new Set(["gantry"]));
});

test("a log that was followed is followed again with its account, and stopped by whoever may read it", async () => {
  await using town = await approvalTown({ users: [danas], policy: openPolicy });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, developer, "/gantry logs web --follow");

  expect(await clicks(town, approver, "Stop following")).toMatch(belongs);
  await clicks(town, developer, "Stop following");
  expect(await clicks(town, approver, "Follow again")).toMatch(belongs);
});

test("a button that reads nothing of a workload answers everybody", async () => {
  await using town = await approvalTown({ users: [danas], policy: openPolicy });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, developer, "/gantry scale web 3");
  await says(town, developer, "/gantry history web --share");

  await approver.clicks("Every step as a file");
  await town.settled();

  expect(whispers(approver).join("\n")).not.toMatch(belongs);
});

test("a form that shows the workspace's web goes on with it, whatever account the person has by then", async () => {
  await using town = await approvalTown({ users: [danas, teams], policy: openPolicy });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web");
  await connectsChannel(town, approver, teams);
  await developer.submits({ size: "4" });
  await town.settled();
  await developer.closes();
  expect(usedFor(town, "updateService")).toEqual(["gantry"]);

  await saysIn(town, { person: developer, channel: "@gantry" }, "show web");
  await connects(town, developer, danas);
  await developer.clicks("Scale", { channel: "@gantry" });
  await town.settled();
  expect(form(developer)).toMatch(/For the account \n?gantry/u);
  const before = town.sent().length;
  await developer.searches("name", "w");
  expect(
    town
      .sent()
      .slice(before)
      .filter(({ username }) => username === "dana-own"),
  ).toEqual([]);
  await developer.submits({ size: "5", channel: "ops" });
  await town.settled();
  expect(usedFor(town, "updateService")).toEqual(["gantry", "gantry"]);
});

test("a new workload is made for the account whose list offers it", async () => {
  await using town = await approvalTown({ users: [danas], policy: openPolicy });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, approver, "/gantry list --region us --share");

  await clicks(town, developer, "Create one");

  expect(form(developer)).toMatch(/For the account \n?gantry/u);
});

test("what is offered in place of a name that is gone is of the same account", async () => {
  await using town = await approvalTown({ users: [danas], policy: openPolicy });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, approver, "/gantry scale web 3");
  await says(town, approver, "/gantry show web --share");
  await createWeb(town, town.api, "web2");
  await othersDelete(town, "web");

  expect(await clicks(town, developer, "Refresh")).toContain("web2");
  const before = town.sent().length;
  await clicks(town, developer, "Show");
  expect(await clicks(town, developer, "Undo")).toContain("web2");
  await clicks(town, developer, "Scale web2");
  expect(accountsSince(town, before)).toEqual(new Set(["gantry"]));
});
