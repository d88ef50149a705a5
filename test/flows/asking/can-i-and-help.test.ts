import { expect, test } from "vitest";
import { leftOut, ruled, unruled } from "../../bot/commands/support/ruled.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, says, saysIn, whispers } from "../../support/speak.ts";

/** The verbs that a help lists. */
function verbs(help: string): readonly string[] {
  return [...help.matchAll(/^• \/gantry (\S+)/gmu)].map(([, verb = ""]) => verb);
}

const writes = ["create", "scale", "memory", "domains", "start", "stop", "restart", "delete"];
const forEverybody = ["help", "whoami", "can-i"];

test("help lists what a full member may do, and marks what needs approval", async () => {
  await using town = await approvalTown();

  const help = await says(town, town.developer, "/gantry help all");

  for (const verb of [...writes, ...forEverybody, "list", "show", "logs"]) expect(verbs(help)).toContain(verb);
  const marked = help.split("\n").filter((line) => line.includes("needs approval"));
  // The built-in policy wants an approval for everything that interrupts a workload or ends it.
  const interrupting = ruled.filter(({ actions }) =>
    actions.every(({ risk }) => risk === "disruptive" || risk === "destructive"),
  );
  expect(marked.map((line) => verbs(line)[0])).toEqual(interrupting.map(({ name }) => name));
  for (const verb of ["memory", "stop", "restart", "delete"]) expect(marked.join("\n")).toContain(`/gantry ${verb} `);
  expect(help).not.toMatch(/allowed for you/u);
});

test("help leaves out what a guest may not do, and says so", async () => {
  await using town = await approvalTown();

  const help = await says(town, town.guest, "/gantry help");

  expect(verbs(help).toSorted()).toEqual(unruled.map(({ name }) => name).toSorted());
  for (const verb of forEverybody) expect(verbs(help)).toContain(verb);
  for (const verb of [...writes, "list", "show", "logs"]) expect(verbs(help)).not.toContain(verb);
  expect(help).toContain(leftOut(ruled));
});

test("the command alone opens a menu; a button answers below it, and the menu stays", async () => {
  await using town = await approvalTown();

  expect(await says(town, town.developer, "/gantry")).toContain("What would you like to do?");
  const answer = await clicks(town, town.developer, "List workloads");

  expect(answer).toContain("web");
  expect(whispers(town.developer)).toEqual([expect.stringContaining("What would you like to do?"), answer]);
  expect(count(town, "listServices")).toBe(1);
});

test("help grows to all commands with its button", async () => {
  await using town = await approvalTown();
  expect(verbs(await says(town, town.developer, "/gantry help"))).toHaveLength(7);

  const all = verbs(await clicks(town, town.developer, "All commands"));

  expect(all).toEqual(expect.arrayContaining([...writes, ...forEverybody, "pending", "approve"]));
  expect(whispers(town.developer)).toHaveLength(1);
});

const byGroup = `
rules:
  - { name: everybody looks, who: [members], does: [read], then: allow }
  - { name: on call restarts, who: [S0ONCALL], does: [restartService], then: allow }
  - name: ops scales in its channel
    who: [members]
    where: [C0OPS]
    does: [updateService]
    then: { approve: { votes: 2, from: [S0ONCALL], reason: required, expires: 20m } }
  - name: nobody deletes
    who: [everyone]
    does: [deleteService]
    then: refuse
    say: "Services are deleted by the platform team; write to them."
`;

test("help differs by person, and by channel", async () => {
  await using town = await approvalTown({ policy: byGroup });
  const { developer, approver } = town;

  const danas = verbs(await says(town, developer, "/gantry help all"));
  const alexs = verbs(await says(town, approver, "/gantry help all"));
  const elsewhere = verbs(await saysIn(town, { person: developer, channel: "general" }, "/gantry help all"));

  expect(danas).not.toContain("restart");
  expect(alexs).toContain("restart");
  expect(danas).toContain("scale");
  expect(elsewhere).not.toContain("scale");
  // A job may be deleted by no rule either.
  for (const list of [danas, alexs, elsewhere]) expect(list).not.toContain("delete");
});

test("can-i names the rule that decides, what is missing, and who could approve", async () => {
  await using town = await approvalTown({ policy: byGroup });
  const { developer, approver } = town;

  const scale = await says(town, developer, "/gantry can-i scale web 4");
  expect(scale).toContain("ops scales in its channel");
  expect(scale).toMatch(/2 approvals/u);
  expect(scale).toMatch(/reason/u);
  expect(scale).toMatch(/20 minutes/u);
  expect(scale).toMatch(/Alex Kim/u);
  expect(scale).toMatch(/Omar Haddad/u);
  expect(scale).toContain("instances 2 → 4");

  expect(await says(town, approver, "/gantry can-i restart web")).toMatch(/✅ Yes, you can.*on call restarts/su);
  expect(await says(town, developer, "/gantry can-i delete service/web")).toMatch(
    /🚫 No\. .*platform team.*nobody deletes/su,
  );
  expect(await says(town, developer, "/gantry can-i restart web")).toMatch(/🚫 No\./u);
  expect(count(town, "updateService") + count(town, "restartService") + count(town, "deleteService")).toBe(0);
  expect(card(developer)).toBe("");
});

test("can-i does not change what it asks about, and answers the same as the verb does then", async () => {
  await using town = await approvalTown({ policy: byGroup });
  const { developer } = town;

  const may = await saysIn(town, { person: developer, channel: "general" }, "/gantry can-i scale web 4");
  const did = await saysIn(town, { person: developer, channel: "general" }, "/gantry scale web 4");

  expect(may).toMatch(/🚫 No\./u);
  expect(did).toMatch(/🚫/u);
  expect(count(town, "updateService")).toBe(0);
});

test("when too few could approve, can-i says so before anybody asks", async () => {
  await using town = await approvalTown({ policy: byGroup });
  town.playground.people.leaveGroup("oncall", "omar");

  const answer = await says(town, town.developer, "/gantry can-i scale web 4");

  expect(answer).toContain("Alex Kim");
  expect(answer).not.toContain("Omar Haddad");
  expect(answer).toMatch(/2 approvals/u);
  expect(await says(town, town.developer, '/gantry scale web 4 --reason "sale"')).toMatch(
    /only Alex Kim can approve here/u,
  );
});

test("a changed policy is taken up at once, by help, can-i and what is done", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  expect(await says(town, developer, "/gantry can-i scale web 4")).toMatch(/✅ Yes, you can/u);

  town.setPolicy(byGroup);

  expect(await says(town, developer, "/gantry can-i scale web 4")).toContain("ops scales in its channel");
  expect(verbs(await says(town, developer, "/gantry help"))).not.toContain("restart");
  await says(town, developer, '/gantry scale web 4 --reason "sale"');
  expect(card(developer)).toMatch(/0 of 2/u);
  expect(count(town, "updateService")).toBe(0);
});

test("what was approved is not sent when a changed policy refuses it by then", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry delete web");

  town.setPolicy(byGroup);
  await approver.clicks("Approve");
  await town.settled();

  expect(count(town, "deleteService")).toBe(0);
  expect(card(developer)).toMatch(/may no longer do this.*platform team/su);
});

test("a verb that does not exist is told with the nearest one, and nobody is asked", async () => {
  await using town = await approvalTown();

  const { answer } = await town.developer.says("/gantry can-i restrat web");

  expect(JSON.stringify(answer)).toMatch(/Did you mean [\s\S]*restart/u);
  expect(town.calls()).toEqual([]);
});
