import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { says, saysIn } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

let town: World;
beforeAll(async () => void (town = await approvalTown()));
afterEach(async () => {
  for (const person of [town.developer, town.approver, town.guest]) {
    if (person.modal() !== undefined) await person.dismisses();
  }
});
afterAll(() => town.close());

/** The texts of what a picker offers. */
async function offers(person: Person, field: string, query: string): Promise<readonly string[]> {
  const options = await person.searches(field, query);
  return options.map((option) => textOf(option));
}

function textOf(option: unknown): string {
  return /"text":"((?:[^"\\]|\\.)*)"/u.exec(JSON.stringify(option))?.[1] ?? "";
}

test("a picker finds a workload by a part of its name, from one list call for each kind", async () => {
  const { developer } = town;
  // What was listed before is too old by now.
  town.passMinutes(6);
  const before = { services: count(town, "listServices"), jobs: count(town, "listJobs") };
  await says(town, developer, "/gantry show");

  expect(await offers(developer, "name", "")).toEqual(["web"]);
  expect(await offers(developer, "name", "we")).toContain("web");
  await offers(developer, "name", "web");

  expect(count(town, "listServices")).toBe(before.services + 1);
  expect(count(town, "listJobs")).toBe(before.jobs + 1);
});

test("while the service does not answer, a picker says so and takes what is typed", async () => {
  const never = Promise.withResolvers<Response>();
  await using silent = await approvalTown({
    via: (request, send) =>
      /\/(?:services|jobs)$/u.test(new URL(request.url).pathname) ? never.promise : send(request),
  });
  const { developer } = silent;
  await says(silent, developer, "/gantry show");

  const searching = developer.searches("name", "web");
  await silent.until(() => count(silent, "listServices") === 1 && count(silent, "listJobs") === 1);
  silent.passSeconds(1.2);
  const offered = await searching;

  expect(offered.map((option) => textOf(option))).toEqual(["Use “web” as typed"]);
  never.reject(new Error("gone"));
  await developer.dismisses();
});

test("a picker offers no name to who may not list them", async () => {
  const { guest } = town;
  const before = count(town, "listServices");
  await says(town, guest, "/gantry show");

  expect(JSON.stringify(await guest.searches("name", "we"))).not.toMatch(/service\/web/u);
  expect(count(town, "listServices")).toBe(before);
});

test("under a list one chooses what to act on, and gets its card with its buttons", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry list");

  await developer.selects("pick:any", "web");
  await town.settled();

  const last = developer.sees("ops").at(-1);
  expect(last?.isEphemeral).toBe(true);
  expect(last?.text).toMatch(/🟢 web[\s\S]*Scale[\s\S]*Delete/u);
});

test("changes that wait are found by a picker when an id is missing", async () => {
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");

  await says(town, approver, "/gantry approve");
  const [first = ""] = await offers(approver, "id", "");
  expect(first).toMatch(/restart service web/u);
  await approver.submits({ id: first });
  await town.settled();

  expect(count(town, "restartService")).toBe(1);
});

test("in a channel that is bound to names a picker offers only those", async () => {
  const { developer } = town;
  const inGeneral = { person: developer, channel: "general" };
  await saysIn(town, inGeneral, '/gantry use --names "shop-*"');
  await saysIn(town, inGeneral, "/gantry show");

  expect(await offers(developer, "name", "")).toEqual([]);
  await developer.dismisses();
  await says(town, developer, "/gantry show");
  expect(await offers(developer, "name", "")).toEqual(["web"]);
});
