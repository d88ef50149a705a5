import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { creates } from "../../support/channel-town.ts";
import { card, clicks, form, home, idOf, says } from "../../support/speak.ts";
import { newest, type Person, type World } from "../../support/world.ts";

/** Everybody lists and alex sees everything; what is called payroll-… does not exist for anybody else. */
const payrollIsPrivate = `
rules:
  - { name: lists are for all, who: members, does: [listServices, listJobs], then: allow }
  - { name: alex does all, who: U0ALEX, does: anything, then: allow }
  - { name: some are private, who: everyone, does: anything, workloads: { name: "payroll-*" }, then: refuse }
  - { name: members do the rest, who: members, does: anything, then: allow }
`;

/** Nobody but alex decides, and dana sees nothing of payroll. */
const payrollWaits = `
rules:
  - { name: alex looks, who: U0ALEX, does: read, then: allow }
  - { name: alex asks, who: U0ALEX, does: [routine, disruptive], then: { approve: { from: [U0OMAR], expires: 1h } } }
  - { name: some are private, who: everyone, does: anything, workloads: { name: "payroll-*" }, then: refuse }
  - { name: members look, who: members, does: read, then: allow }
  - { name: members ask, who: members, does: [routine, disruptive], then: { approve: { from: [U0OMAR], expires: 1h } } }
`;

async function offers(person: Person, field: string, query: string): Promise<string> {
  return JSON.stringify(await person.searches(field, query));
}

async function townUnder(policy: string): Promise<World> {
  const town = await approvalTown({ policy });
  await creates(town, "payroll-db", "beijing1");
  return town;
}

describe("a workload that is hidden from a person", () => {
  let town: World;
  beforeAll(async () => {
    town = await townUnder(payrollIsPrivate);
  });
  afterAll(async () => town.close());

  test("is refused without a call, whether or not it exists", async () => {
    const { developer } = town;
    const before = town.calls().length;

    const there = await says(town, developer, "/gantry restart payroll-db");
    const not = await says(town, developer, "/gantry restart payroll-xx");

    expect(there.replaceAll("payroll-db", "payroll-xx")).toBe(not);
    expect(town.calls()).toHaveLength(before);
    const refused = (await town.store().history({ teamId: "T0PLAYGR", limit: 100 })).filter(
      ({ kind, workload }) => kind === "refused" && workload?.name.startsWith("payroll-"),
    );
    expect(refused).toHaveLength(2);
  });

  test("is in no list, picker, guess or Home, also not in their counts; also not while somebody who may see it lists with the same account", async () => {
    const { developer, approver } = town;

    const [danas, alexs] = await Promise.all([
      says(town, developer, "/gantry list services"),
      says(town, approver, "/gantry list services"),
    ]);
    expect(danas).toContain("1 service in beijing1");
    expect(danas).not.toContain("payroll");
    expect(alexs).toContain("2 services in beijing1");
    expect(alexs).toContain("payroll-db");

    await says(town, developer, "/gantry restart");
    expect(await offers(developer, "name", "")).toContain("service/web");
    expect(await offers(developer, "name", "")).not.toContain("payroll-db");
    await developer.closes();
    await developer.opensHome();
    await approver.opensHome();
    await town.settled();
    expect(home(developer)).toMatch(/1 workload · 1 healthy/u);
    expect(home(approver)).toMatch(/2 workloads · /u);

    const { ts = "" } = await approver.says("payroll-db is slow");
    await developer.uses("act_on_workload", { ts });
    await town.settled();
    expect(JSON.stringify(developer.modal()?.content)).not.toContain("service/payroll-db");
    await developer.closes();
  });
});

describe("a change that is hidden from a person", () => {
  let town: World;
  beforeAll(async () => {
    town = await townUnder(payrollWaits);
  });
  afterAll(async () => town.close());

  test("is neither in history nor in what waits, unless it is their own or theirs to approve", async () => {
    const { developer, approver } = town;
    await says(town, approver, "/gantry scale payroll-db 4");
    await says(town, approver, "/gantry stop web");

    const danas = [await says(town, developer, "/gantry pending"), await says(town, developer, "/gantry history")];
    const alexs = [await says(town, approver, "/gantry pending"), await says(town, approver, "/gantry history")];

    expect(danas.join("\n")).not.toContain("payroll");
    expect(danas[0]).toContain("1 request waiting for approval");
    expect(danas[1]).toContain("Asked to stop web");
    expect(alexs[0]).toMatch(/[2-9] requests waiting for approval/u);
    expect(alexs[1]).toContain("scale payroll-db");
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
    expect(await says(town, approver, "/gantry history")).toContain("scale payroll-db");
    town.setPolicy(payrollWaits);

    const omars = town.playground.as("omar");
    const id = idOf(/^.*payroll-db[\s\S]*/mu.exec(await says(town, omars, "/gantry pending"))?.[0] ?? "");
    await says(town, omars, `/gantry approve ${id}`);
    expect(count(town, "updateService")).toBe(1);
  });

  test("gets the same answer as a missing one, for every action", async () => {
    const { approver, developer, guest } = town;
    await says(town, approver, '/gantry scale payroll-db 5 --reason "pay day"');
    const id = idOf(card(approver));
    const near = `${id.slice(0, 5)}${id.endsWith("0") ? "1" : "0"}`;

    for (const person of [developer, guest]) {
      for (const verb of ["approve", "reject", "cancel"]) {
        const hidden = await says(town, person, `/gantry ${verb} ${id}`);
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
});

test("a change in a channel is in no picker of its guest, who may look or not, and its card explains the refusal to them", async () => {
  await using town = await approvalTown();
  const { developer, guest, approver } = town;
  await says(town, developer, "/gantry restart web");
  const id = idOf(card(developer));
  await says(town, approver, "/gantry approve");
  expect(await offers(approver, "id", "")).toMatch(/restart web|restart service web/u);

  for (const rule of ["", "\n  - { name: guests look, who: guests, does: read, then: allow }"]) {
    town.setPolicy(`rules:${rule}\n${defaultPolicyText.split("rules:")[1] ?? ""}`);
    expect(await says(town, guest, `/gantry approve ${id}`)).toContain(`There's no request ${id}`);
    await says(town, guest, "/gantry approve");
    expect(await offers(guest, "id", "")).not.toMatch(/web|Dana/u);
    await guest.closes();
  }

  // Everybody in the channel can read the card.
  await clicks(town, guest, "Reject");
  expect(form(guest)).toContain("restarts all 2 instances");
  await guest.submits();
  await town.settled();
  expect(newest(guest)).toContain("You can't decide on this, because you're a guest in this workspace: restart web");
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
