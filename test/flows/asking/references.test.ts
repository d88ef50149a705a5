import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { says } from "../../support/speak.ts";

test("what failed, and what a bug took, has a reference that is shown and stands in the log", async () => {
  let isBroken = false;
  await using town = await approvalTown({
    via: async (request, send) =>
      request.method === "PUT" ? Response.json({ message: "no room" }, { status: 400 }) : send(request),
    store: (real) => ({
      ...real,
      insertChange: (...args) =>
        isBroken ? Promise.reject(new Error("a bug for the test")) : real.insertChange(...args),
    }),
  });
  const { developer } = town;

  await says(town, developer, "/gantry scale web 3");
  isBroken = true;
  const told = await says(town, developer, "/gantry scale web 4");

  const [bug, failed] = await town.store().history({ teamId: "T0PLAYGR", limit: 2 });
  expect(failed).toMatchObject({ kind: "failed", verb: "scale" });
  expect(bug).toMatchObject({ kind: "failed", verb: "scale", changeId: undefined, who: { name: "Dana Reyes" } });
  expect(told).toContain(bug?.reference);
  const shown = await says(town, developer, "/gantry history");
  const log = town.logLines().join("");
  for (const { reference = "none" } of [bug, failed].filter((row) => row !== undefined)) {
    expect(reference).toMatch(/^[0-9a-f]{8}$/u);
    expect(shown).toContain(`Reference ${reference}`);
    expect(log).toContain(reference);
  }
  expect(town.logged().find(({ reference }) => reference === bug?.reference)).toMatchObject({ level: 50 });
});
