import { describe, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { creates, happened } from "../../support/channel-town.ts";
import { card, home, idOf, says, saysIn } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

/** Alex sees everything; what is called payroll-… does not exist for anybody else. */
const payrollIsPrivate = `
rules:
  - { name: alex does all, who: U0ALEX, does: anything, then: allow }
  - { name: some are private, who: everyone, does: anything, workloads: { name: "payroll-*" }, then: refuse }
  - { name: members do the rest, who: members, does: anything, then: allow }
`;

/** The same, and yet everybody may list. */
const butListed = payrollIsPrivate.replace(
  "rules:",
  `rules:
  - { name: lists are for all, who: members, does: [listServices, listJobs], then: allow }`,
);

/** Nobody but alex decides, and dana sees nothing of payroll. */
const payrollWaits = `
rules:
  - { name: alex looks, who: U0ALEX, does: read, then: allow }
  - { name: alex asks, who: U0ALEX, does: [routine, disruptive], then: { approve: { from: [U0OMAR], expires: 1h } } }
  - { name: some are private, who: everyone, does: anything, workloads: { name: "payroll-*" }, then: refuse }
  - { name: members look, who: members, does: read, then: allow }
  - { name: members ask, who: members, does: [routine, disruptive], then: { approve: { from: [U0OMAR], expires: 1h } } }
`;

async function payrollTown(policy: string): Promise<World> {
  const town = await approvalTown({ policy });
  await creates(town, "payroll-db", "beijing1");
  return town;
}

async function offers(person: Person, field: string, query: string): Promise<string> {
  return JSON.stringify(await person.searches(field, query));
}

describe.each([
  ["a list that is refused as a whole", payrollIsPrivate],
  ["a list that shows all", butListed],
])("with %s", (_title, policy) => {
  test("suggests only names that the person may see", async () => {
    await using town = await payrollTown(policy);
    const { developer, approver } = town;

    for (const verb of ["show", "logs", "restart", "delete", "can-i restart"]) {
      expect(await says(town, developer, `/gantry ${verb} payrol-db`), verb).not.toContain("payroll-db");
      expect(await says(town, developer, `/gantry ${verb} wev`), verb).toContain("Did you mean web?");
      expect(await says(town, approver, `/gantry ${verb} payrol-db`), verb).toContain("Did you mean payroll-db?");
    }
  });

  test("a hidden name is refused without a call, whether or not the workload exists", async () => {
    await using town = await payrollTown(policy);
    const { developer } = town;
    const before = town.calls().length;

    const there = await says(town, developer, "/gantry restart payroll-db");
    const not = await says(town, developer, "/gantry restart payroll-xx");

    expect(there.replaceAll("payroll-db", "payroll-xx")).toBe(not);
    expect(town.calls()).toHaveLength(before);
    expect(await happened(town)).toHaveLength(2);
  });
});

test("pickers, guesses and Home leave out what the person may not see, also from counts", async () => {
  await using town = await payrollTown(butListed);
  const { developer, approver } = town;

  await says(town, developer, "/gantry restart");
  expect(await offers(developer, "name", "")).toContain("service/web");
  expect(await offers(developer, "name", "")).not.toContain("payroll-db");
  await developer.dismisses();
  await developer.opensHome();
  await approver.opensHome();
  await town.settled();
  expect(home(developer)).toMatch(/1 workload · 1 healthy/u);
  expect(home(approver)).toMatch(/2 workloads · /u);

  const { ts = "" } = await approver.says("payroll-db is slow");
  await developer.uses("act_on_workload", { ts });
  await town.settled();
  expect(JSON.stringify(developer.modal()?.content)).not.toContain("service/payroll-db");
});

test("a list leaves out the workloads that a rule hides from the person, also from its count", async () => {
  await using town = await payrollTown(butListed);
  const { developer, approver } = town;

  const danas = await says(town, developer, "/gantry list");

  expect(danas).toContain("web");
  expect(danas).not.toContain("payroll");
  expect(danas).toContain("1 service in beijing1");
  expect(await says(town, approver, "/gantry list")).toContain("payroll-db");
});

test("people who list with one account at the same moment each see what they may", async () => {
  await using town = await payrollTown(butListed);
  const { developer, approver } = town;

  const [danas, alexs] = await Promise.all([
    says(town, developer, "/gantry list services"),
    says(town, approver, "/gantry list services"),
  ]);

  expect(danas).toContain("1 service in beijing1");
  expect(danas).not.toContain("payroll");
  expect(alexs).toContain("2 services in beijing1");
  expect(alexs).toContain("payroll-db");
});

test("a hidden kind is not even read", async () => {
  const policy = `
rules:
  - { name: no jobs, who: members, does: anything, workloads: { kind: job }, then: refuse }
  - { name: the rest, who: members, does: anything, then: allow }
`;
  await using town = await approvalTown({ policy });
  const { developer } = town;

  expect(await says(town, developer, "/gantry delete nothing")).toMatch(/no service named nothing/u);
  expect(await says(town, developer, "/gantry scale nothing 3")).toMatch(/no service named nothing/u);

  expect(count(town, "getJob") + count(town, "listJobs")).toBe(0);
});

test("history and what waits leave out workloads that the person may not see, but never their own requests", async () => {
  await using town = await payrollTown(payrollWaits);
  const { developer, approver } = town;
  await says(town, approver, "/gantry scale payroll-db 4");
  await says(town, approver, "/gantry restart web");

  const danas = [await says(town, developer, "/gantry pending"), await says(town, developer, "/gantry history")];
  const alexs = [await says(town, approver, "/gantry pending"), await says(town, approver, "/gantry history")];

  expect(danas.join("\n")).not.toContain("payroll");
  expect(danas[0]).toContain("1 request waiting for approval");
  expect(danas[1]).toContain("Restart web?");
  expect(alexs[0]).toContain("2 requests waiting for approval");
  expect(alexs[1]).toContain("Scale payroll-db");
  expect(await says(town, developer, "/gantry history payroll-db")).toMatch(/No requests found/u);
  await developer.opensHome();
  await town.settled();
  expect(home(developer)).not.toContain("payroll");

  // From now on alex may not see it either.
  town.setPolicy(
    payrollWaits
      .split("\n")
      .filter((line) => !line.includes("U0ALEX"))
      .join("\n"),
  );
  expect(await says(town, approver, "/gantry pending")).toContain("payroll-db");
  expect(await says(town, approver, "/gantry history")).toContain("Scale payroll-db");
});

test("a page of history is full even when rows are hidden, and the next one continues after it", async () => {
  await using town = await payrollTown(butListed);
  const { developer, approver } = town;
  for (const size of [2, 3, 4]) await says(town, developer, `/gantry scale web ${size + 1}`);
  for (let size = 2; size < 24; size += 1) await says(town, approver, `/gantry scale payroll-db ${size}`);

  const page = await says(town, developer, "/gantry history");

  expect(page.split("\n").filter((line) => /· \d+[smhd]$/u.test(line))).toHaveLength(3);
  expect(page).not.toContain("payroll");
  expect(page).not.toContain("[Older]");
});

test("approvers see pending changes of workloads that are otherwise hidden from them", async () => {
  await using town = await payrollTown(payrollWaits);
  const omar = town.playground.as("omar");
  await says(town, town.approver, "/gantry restart payroll-db");

  expect(await says(town, omar, "/gantry pending")).toContain("payroll-db");
  await says(town, omar, `/gantry approve ${idOf(card(town.approver))}`);

  expect(count(town, "restartService")).toBe(1);
});

describe("a hidden change", () => {
  test("gets the same answer as a missing one, for every action", async () => {
    await using town = await payrollTown(payrollWaits);
    const { approver, developer, guest } = town;
    await says(town, approver, '/gantry scale payroll-db 4 --reason "pay day"');
    const id = idOf(card(approver));
    const near = `${id.slice(0, 5)}${id.endsWith("0") ? "1" : "0"}`;

    for (const person of [developer, guest]) {
      for (const verb of ["approve", "reject", "cancel"]) {
        const hidden = await saysIn(town, { person, channel: "ops" }, `/gantry ${verb} ${id}`);
        expect(hidden).toMatch(new RegExp(`There's no request ${id}`, "u"));
        expect(hidden).not.toMatch(/payroll|pay day|Alex|Did you mean/u);
      }
      expect(await says(town, person, `/gantry approve ${near}`)).not.toMatch(/Did you mean/u);
    }

    expect(await says(town, approver, `/gantry approve ${near}`)).toContain(`Did you mean ${id}?`);
    const rows = await town.store().history({ teamId: "T0PLAYGR", limit: 100 });
    expect(rows.filter(({ kind }) => kind === "vote-refused").map(({ who }) => who?.name)).toEqual(
      ["Gwen Moss", "Dana Reyes"].flatMap((name) => [name, name, name]),
    );
  });

  test.each([
    ["who may do nothing", ""],
    ["who may look", "\n  - { name: guests look, who: guests, does: read, then: allow }"],
  ])("is in no picker of a guest %s", async (_who, rule) => {
    await using town = await approvalTown({ policy: `rules:${rule}\n${defaultPolicyText.split("rules:")[1] ?? ""}` });
    const { developer, guest, approver } = town;
    await says(town, developer, "/gantry restart web");
    const id = idOf(card(developer));
    expect(await says(town, guest, `/gantry approve ${id}`)).toContain(`There's no request ${id}`);

    await says(town, guest, "/gantry approve");
    await says(town, approver, "/gantry approve");

    expect(await offers(approver, "id", "")).toMatch(/restart web|restart service web/u);
    expect(await offers(guest, "id", "")).not.toMatch(/web|Dana/u);
  });

  test("a click on its card, which everybody can read, explains the refusal", async () => {
    await using town = await approvalTown();
    await says(town, town.developer, "/gantry restart web");

    await town.guest.clicks("Reject");
    await town.settled();

    expect(town.guest.sees("ops").at(-1)?.text ?? "").not.toMatch(/There's no request/u);
  });
});

test("a picker offers no instance of a job that the person may not see", async () => {
  const policy = `
rules:
  - { name: alex does all, who: U0ALEX, does: anything, then: allow }
  - { name: jobs are private, who: everyone, does: [getJob], then: refuse }
  - { name: members do the rest, who: members, does: anything, then: allow }
`;
  await using town = await approvalTown({ policy });
  const { developer, approver } = town;
  await says(town, approver, "/gantry create job nightly --image test/lasting");
  await town.until(async () => ((await town.job("nightly")).instance_names?.length ?? 0) > 0);
  const [instance = ""] = (await town.job("nightly")).instance_names ?? [];
  const opens = async (person: Person): Promise<void> => {
    await says(town, person, "/gantry logs --instance x");
    await person.selects("name", "job/nightly");
    await town.settled();
  };

  await opens(approver);
  expect(await offers(approver, "instance", "")).toContain(instance);
  await opens(developer);
  const before = count(town, "getJob");
  expect(await offers(developer, "instance", "")).not.toContain(instance);

  expect(count(town, "getJob")).toBe(before);
});
