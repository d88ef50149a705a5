import { expect, test } from "vitest";
import { deliver } from "../../../support/deliver.ts";
import { oneService } from "../../../support/one-service.ts";
import { world } from "../../../support/world.ts";

test("an event that Slack sends again to another replica is answered once, whatever it says", async () => {
  await using town = await world({ apiFetch: oneService });
  for (const text of ["@gantry shwo web", "@gantry", "@gantry show web", "@gantry please restart web"]) {
    await town.developer.says(text);
  }
  await town.settled();
  const before = town.developer.sees("ops").length;
  const events = town.playground.transcript().filter(({ kind }) => kind === "event_callback");

  await town.restartBot();
  for (const { request } of events) {
    expect(await deliver(town, { body: JSON.stringify(request), type: "application/json" })).toMatchObject({
      status: 200,
    });
  }
  await town.settled();

  expect(events).toHaveLength(4);
  expect(town.developer.sees("ops")).toHaveLength(before);
});

test("while the database is away, a mention is still answered", async () => {
  await using town = await world({
    apiFetch: oneService,
    store: (real) => ({ ...real, remember: () => Promise.reject(new Error("away")) }),
  });

  await town.developer.says("@gantry show web");
  await town.settled();

  expect(town.developer.sees("ops").at(-1)?.text).toContain("web");
});
