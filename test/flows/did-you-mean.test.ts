import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { clicks, says, whispers } from "../support/speak.ts";
import { newest } from "../support/world.ts";

test("a wrong word offers the right one, and the button runs it", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  const told = await says(town, developer, "/gantry lst services");
  await clicks(town, developer, "Run /gantry list services");

  expect(told).toContain("I don't know lst.");
  expect(newest(developer)).toContain("web");
});

test("a suggested write waits for approval as if it had been typed", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;

  await says(town, developer, "/gantry reboot web");
  await clicks(town, developer, "Run /gantry restart web");
  const card = newest(approver);

  expect(card).toContain("web");
  expect(count(town, "restartService")).toBe(0);

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
});

test("a suggested write that policy refuses is refused", async () => {
  await using town = await approvalTown();
  const { guest } = town;

  await says(town, guest, "/gantry reboot web");
  await clicks(town, guest, "Run /gantry restart web");

  expect(whispers(guest).join("\n")).toMatch(/guest/u);
  expect(count(town, "restartService")).toBe(0);
});

test("two clicks on one suggestion request one change", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await developer.says("scalee web 3", { channel: "@gantry" });
  await town.settled();
  const label = "Run /gantry scale web 3";
  await Promise.all([developer.clicks(label, { channel: "@gantry" }), developer.clicks(label, { channel: "@gantry" })]);
  await town.settled();
  await developer.clicks(label, { channel: "@gantry" });
  await town.settled();

  expect(count(town, "updateService")).toBe(1);
  expect((await town.service("web")).target_instance_size).toBe(3);
  expect(newest(developer, "@gantry")).toContain("used already");
});

test("a misspelt name offers the right one, and the button runs the same request", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  expect(await says(town, developer, "/gantry scale wbe 3")).toContain("Did you mean web?");
  await clicks(town, developer, "Scale web");

  expect((await town.service("web")).target_instance_size).toBe(3);
});

test("a step is resolved against the size of the moment, and the request shows the result", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;

  await says(town, developer, "/gantry scale web +1");
  expect((await town.service("web")).target_instance_size).toBe(3);

  await says(town, developer, "/gantry scale web -2");
  expect(newest(approver)).toContain("3 → 1");
  await clicks(town, approver, "Approve");
  expect((await town.service("web")).target_instance_size).toBe(1);

  expect(await says(town, developer, "/gantry scale web -5")).toMatch(/from 1 to -4[\s\S]*Nothing was changed/u);
});

test("a shift of the key doesn't matter: capitals, back-ticks, bold and a kind before the name", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  for (const words of ["SHOW WEB", "show `web`", "show *web*", "describe service web", "status web"]) {
    expect(await says(town, developer, `/gantry ${words}`), words).toContain("Running");
  }
});

test("why answers with the state and the newest lines", async () => {
  await using town = await approvalTown();

  expect(await says(town, town.developer, "/gantry why web")).toMatch(/web[\s\S]*Running/u);
});

test("version says what runs", async () => {
  await using town = await approvalTown();

  expect(await says(town, town.developer, "/gantry version")).toMatch(/^Gantry \d+\.\d+\.\d+ · Node \d+/u);
});
