import { expect, test } from "vitest";
import { z } from "zod";
import type { HistoryEvent } from "../../../src/bot/changes/history-event.ts";
import { approvalTown } from "../../support/approval-town.ts";
import { connects } from "../../support/linking.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { rolloutTown } from "../../support/rollout-town.ts";
import { card, clicks, idOf, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Every row there is, oldest first. */
async function rows(town: World): Promise<readonly HistoryEvent[]> {
  return (await town.store().history({ teamId: "T0PLAYGR", limit: 1_000 })).toReversed();
}

/** A row as a line: who, what, and about which change. */
function inShort({ kind, who, verb, workload }: HistoryEvent): string {
  return [who?.name ?? "Gantry", kind, verb, workload?.name].filter((part) => part !== undefined).join(" ");
}

test("who did one thing is answered with that alone", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");
  await says(town, approver, "/gantry restart web");
  await says(town, developer, "/gantry stop web");

  const restarted = await says(town, developer, "/gantry who restarted web?");
  const both = await says(town, developer, "/gantry history --verb scale,stop");
  const none = await says(town, developer, "/gantry who deleted web yesterday?");

  expect(restarted.split("\n")).toEqual([
    "History for web · limited to restart · newest first",
    expect.stringMatching(/web restart.* · requested by Alex Kim$|web restart.*requested by Alex Kim/u),
    "[Every step as a file]",
  ]);
  expect(both).toMatch(/web stopped[^]*web scaled 2 → 3/u);
  expect(both).not.toContain("restart");
  expect(none).toBe("No requests found for web, limited to delete, since yesterday.\n[Show all]");
});

test("a deployment is told by its images, whole digests shortened, and not by what would have followed", async () => {
  const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  await using town = await rolloutTown(["web"], { policy: openPolicy });
  await says(town, town.developer, `/gantry deploy web shop/web@${digest}`);
  town.isWell("web");
  await town.later(4);

  const lines = (await says(town, town.developer, "/gantry history web")).split("\n");

  expect(lines[1]).toContain("web updated: image shop/web:1.4 → shop/web@sha256:0123456789ab · ");
  expect(lines[1]).not.toContain("back to revision");
});

test("each request, refusal, vote and run is a row, with the real names of then", async () => {
  await using town = await approvalTown();
  const { developer, approver, guest } = town;

  await says(town, developer, "/gantry scale web 3");
  await says(town, guest, "/gantry scale web 4");
  await says(town, developer, '/gantry restart web --reason "it leaks"');
  await clicks(town, developer, "Approve");
  await clicks(town, approver, "Approve");
  await says(town, developer, "/gantry stop web");
  await says(town, approver, `/gantry reject ${idOf(card(developer))} --reason "not today"`);
  await says(town, developer, "/gantry delete web");
  await clicks(town, developer, "Cancel");

  expect((await rows(town)).map(inShort)).toEqual([
    "Dana Reyes requested scale web",
    "Gantry claimed scale web",
    "Gantry done scale web",
    "Gwen Moss refused scale web",
    "Dana Reyes requested restart web",
    "Dana Reyes vote-refused restart web",
    "Alex Kim voted restart web",
    "Gantry approved restart web",
    "Gantry claimed restart web",
    "Gantry done restart web",
    "Dana Reyes requested stop web",
    "Alex Kim rejected stop web",
    "Dana Reyes requested delete web",
    "Dana Reyes cancelled delete web",
  ]);
  const told = await says(town, approver, "/gantry history");
  expect(told.replaceAll(/ · \d+s$/gmu, "").split("\n")).toEqual([
    "History · newest first",
    "🚫 web wasn't deleted: cancelled by Dana Reyes",
    "🚫 web wasn't stopped: rejected by Alex Kim, “not today” · requested by Dana Reyes",
    expect.stringMatching(/web restart.* · requested by Dana Reyes: “it leaks”, approved by Alex Kim$/u),
    "🚫 Gwen Moss wasn't allowed to scale web",
    expect.stringMatching(/^(?:✅|🟡) web scaled 2 → 3\b.* · requested by Dana Reyes$/u),
    "[Every step as a file]",
  ]);
});

test("a row names who by id and name, where, with which account, by which rule, and how long it took", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, "/gantry restart web");
  town.passMinutes(2);
  await clicks(town, town.approver, "Approve");

  const voted = (await rows(town)).find(({ kind }) => kind === "voted");
  const done = (await rows(town)).find(({ kind }) => kind === "done");

  expect(voted).toMatchObject({
    who: { userId: "U0ALEX", name: "Alex Kim" },
    channelId: "C0OPS",
    verb: "restart",
    workload: { kind: "service", region: "beijing1", name: "web" },
    account: "gantry",
    rule: "disruptive changes",
    breakGlass: false,
  });
  expect(done?.elapsedMs).toBeGreaterThanOrEqual(2 * 60_000);
  expect(voted?.changeId).toBe(idOf(card(town.developer)));
});

test("what expired, drifted, failed or was only linked is listed as well", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  const update = { op: "updateService", path: { region: "beijing1", service_name: "web" }, query: undefined } as const; // a Call

  await says(town, developer, "/gantry scale web 1");
  await town.api.send({ ...update, body: { target_instance_size: 5 } });
  await clicks(town, approver, "Approve");
  await says(town, developer, "/gantry stop web");
  town.passMinutes(61);
  await town.sweep();
  await connects(town, developer, { username: "gantry", token: town.token });
  await says(town, developer, "/gantry disconnect");

  const kinds = (await rows(town)).map(({ kind }) => kind);
  for (const kind of ["drifted", "expired", "connected", "disconnected"]) expect(kinds).toContain(kind);
  const told = await says(town, developer, "/gantry history");
  expect(told).toContain("Dana Reyes connected the account gantry");
  expect(told).toContain("⌛ web wasn't stopped: not approved in time");
  expect(told).toContain("⚠️ web wasn't scaled 2 → 1: it changed while the request waited");
});

test("a long history is paged by buttons, back and forth", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  for (let size = 3; size < 25; size += 1) await says(town, developer, `/gantry scale web ${size}`);

  const newest = await says(town, developer, "/gantry history web");
  const older = await clicks(town, developer, "Older");
  const back = await clicks(town, developer, "Newer");

  expect(newest).toContain("scaled 23 → 24");
  expect(newest).not.toContain("scaled 2 → 3");
  expect(older).toContain("scaled 2 → 3");
  expect(older).not.toContain("[Older]");
  expect(back).toContain("scaled 23 → 24");
  expect(newest.split("\n").filter((line) => /· \d+[smhd]$/u.test(line))).toHaveLength(20);
});

test("it is narrowed by name, by person and by time", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");
  town.passMinutes(3 * 24 * 60);
  await says(town, approver, "/gantry create service other --image test/web");

  expect(await says(town, developer, "/gantry history other")).not.toContain("web scaled");
  expect(await says(town, developer, "/gantry history web")).not.toContain("other ");
  const byDana = await says(town, developer, "/gantry history --by @dana");
  expect(byDana).toMatch(/web scaled 2 → 3.* · requested by Dana Reyes/u);
  expect(byDana).not.toContain("Alex Kim");
  const lately = await says(town, developer, "/gantry history --since 1d");
  expect(lately).toMatch(/other.* · requested by Alex Kim/u);
  expect(lately).not.toContain("Dana Reyes");
  expect(await says(town, developer, "/gantry history --since 7d")).toContain("requested by Dana Reyes");
  expect(await says(town, developer, "/gantry history nothing-like-it")).toMatch(/No requests found for nothing/u);
});

test("each row is in the log as well, once", async () => {
  await using town = await approvalTown();
  await says(town, town.guest, "/gantry scale web 4");
  await says(town, town.developer, "/gantry restart web");
  await clicks(town, town.approver, "Approve");

  const logged = town.logged().filter(({ msg }) => msg === "history");

  expect(logged.map(({ history }) => z.object({ kind: z.string() }).parse(history).kind)).toEqual(
    (await rows(town)).map(({ kind }) => kind),
  );
  expect(logged.every(({ level }) => level === 30)).toBe(true);
});

test("it is kept as long as configured, and no longer", async () => {
  const dayMs = 24 * 60 * 60_000;
  await using town = await approvalTown({ keepHistoryMs: 10 * dayMs });
  await says(town, town.developer, "/gantry scale web 3");
  town.passMinutes((9 * dayMs) / 60_000);
  await town.sweep();
  expect(await rows(town)).toHaveLength(3);
  await says(town, town.developer, "/gantry scale web 4");

  town.passMinutes((2 * dayMs) / 60_000);
  await town.sweep();

  expect((await rows(town)).map(inShort)).toEqual([
    "Dana Reyes requested scale web",
    "Gantry claimed scale web",
    "Gantry done scale web",
  ]);
  expect(await says(town, town.developer, "/gantry history")).not.toContain("2 → 3");
});

test("only full members see it: it tells what everybody asked for", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, "/gantry scale web 3");

  expect(await says(town, town.guest, "/gantry history")).toMatch(/Only full members/u);
});

test("no row holds a token, a value of an environment variable, or a line of a log", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry create service api --image test/web --env PASSWORD=hunter2hunter2");
  await connects(town, developer, { username: "gantry", token: town.token });
  await says(town, developer, "/gantry logs service/api");
  await says(town, developer, "/gantry delete service/api");
  await clicks(town, town.approver, "Approve");

  const all = JSON.stringify(await rows(town));

  expect(all).toContain("api");
  for (const secret of ["hunter2", town.token, town.botToken, "instance started"]) expect(all).not.toContain(secret);
});
