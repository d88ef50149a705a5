import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { count, counting } from "../../support/approval-town.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { says, saysIn } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

let gated: Awaited<ReturnType<typeof gatedTown>>;
let town: World;
beforeAll(async () => {
  gated = await gatedTown();
  ({ town } = gated);
});
afterEach(async () => {
  gated.release();
  await town.settled();
  for (const person of [town.developer, town.approver, town.guest]) {
    if (person.modal() !== undefined) await person.closes();
  }
});
afterAll(() => gated[Symbol.asyncDispose]());

/** The texts of what a picker offers. */
async function offers(person: Person, field: string, query: string): Promise<readonly string[]> {
  const options = await person.searches(field, query);
  return options.map((option) => textOf(option));
}

function textOf(option: unknown): string {
  return /"text":"((?:[^"\\]|\\.)*)"/u.exec(JSON.stringify(option))?.[1] ?? "";
}

test("a picker finds a workload by a part of its name from one list call for each kind, and only what one may see here", async () => {
  const { developer, guest } = town;
  // What was listed before is too old by now.
  town.passMinutes(6);
  const calls = counting(town);
  await says(town, guest, "/gantry show");
  expect(JSON.stringify(await guest.searches("name", "we"))).not.toMatch(/service\/web/u);
  expect(calls("listServices")).toBe(0);

  await says(town, developer, "/gantry show");
  expect(await offers(developer, "name", "")).toEqual(["web"]);
  expect(await offers(developer, "name", "we")).toContain("web");
  await offers(developer, "name", "web");
  expect([calls("listServices"), calls("listJobs")]).toEqual([1, 1]);
  await developer.closes();

  const inGeneral = { person: developer, channel: "general" };
  await saysIn(town, inGeneral, '/gantry use --names "shop-*"');
  await saysIn(town, inGeneral, "/gantry show");
  expect(await offers(developer, "name", "")).toEqual([]);
});

test("while the workload API does not answer, a picker takes what is typed", async () => {
  const { developer } = town;
  town.passMinutes(6);
  const calls = counting(town);
  await says(town, developer, "/gantry show");
  gated.hold();

  const searching = developer.searches("name", "nightly");
  await town.until(() => calls("listServices") === 1 && calls("listJobs") === 1);
  town.passSeconds(1.2);

  expect(JSON.stringify(await searching)).toContain("Use “nightly” as typed");
});

test("under a list one chooses what to act on, and gets its card with its buttons", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry list");

  await developer.selects("pick:any@gantry", "web");
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
