import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { alexs } from "../../support/linking.ts";
import { sendsFormOf } from "../../support/sends-form.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

let town: World;
beforeAll(async () => void (town = await shopTown(["worker", "queue"], { users: [alexs] })));
afterEach(async () => {
  for (const person of [town.developer, town.approver]) if (person.modal() !== undefined) await person.closes();
});
afterAll(() => town.close());

test("a reject form counts for the person who sends it, not for the one who opened it", async () => {
  const { developer, approver } = town;
  const omar = town.playground.as("omar");
  await says(town, developer, "/gantry restart web");
  await approver.clicks("Reject");
  await town.settled();
  await approver.selects("reason", "customers are on it");

  // Dana asked for the restart, so her "reject" does not count, whoever's form it is.
  await sendsFormOf(town, { opener: approver, sender: developer });

  expect(card(developer)).toMatch(/0 of 1/u);
  expect(card(developer)).not.toMatch(/rejected/iu);

  await sendsFormOf(town, { opener: approver, sender: omar });

  expect(card(developer)).toMatch(/Rejected[\s\S]*Omar Haddad/u);
  expect(card(developer)).toContain("customers are on it");
  expect(card(developer)).not.toContain("Alex Kim");
  expect(count(town, "restartService")).toBe(0);
});

test("a guest cannot send the form that a member opened", async () => {
  const { developer, guest } = town;
  const before = { card: card(guest), updates: count(town, "updateService") };
  await says(town, developer, "/gantry scale worker");
  await developer.selects("size", "5");

  await sendsFormOf(town, { opener: developer, sender: guest });

  expect(count(town, "updateService")).toBe(before.updates);
  expect(card(guest)).toBe(before.card);
  expect(await town.store().history({ teamId: "T0PLAYGR", limit: 1 })).toEqual([
    expect.objectContaining({ kind: "refused", who: expect.objectContaining({ userId: guest.id }) }),
  ]);
});

test("a form is a request by the person who submits it, not by the one who opened it", async () => {
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale queue");
  await developer.selects("size", "5");

  await sendsFormOf(town, { opener: developer, sender: approver });

  expect((await town.service("queue")).target_instance_size).toBe(5);
  expect(card(developer)).toContain("@alex");
  expect(card(developer)).not.toContain("@dana");
});

test("an account is linked for the person who sends the connect form, not for the one who opened it", async () => {
  const { developer, approver } = town;
  await says(town, developer, "/gantry connect");
  await developer.selects("username", alexs.username);
  await developer.selects("token", alexs.token);

  await sendsFormOf(town, { opener: developer, sender: approver });

  expect(await says(town, approver, "/gantry whoami")).toContain("alex-own, your own");
  expect(await says(town, developer, "/gantry whoami")).toContain("gantry, workspace account");
  await says(town, approver, "/gantry disconnect");
});
