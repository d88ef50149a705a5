import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, says } from "../../support/speak.ts";

test("when another replica stored the same delivery first, only what it stored may be sent", async () => {
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
      async insertChange(change, event) {
        // Sealed for another id, so what this one stored can't be opened.
        await real.insertChange({ ...change, id: "7QK2MP" }, event);
        return real.insertChange(change, event);
      },
    }),
  });

  await says(town, town.developer, "/gantry scale web 4");
  // The other replica doesn't carry it on.
  town.passSeconds(21);
  await town.sweep();

  expect(count(town, "updateService")).toBe(0);
  expect(card(town.developer)).toMatch(/can't be opened/u);
});
