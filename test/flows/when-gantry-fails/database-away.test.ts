import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { awayStore, type AwayStore } from "../../support/away-store.ts";
import { connects, danas, sends } from "../../support/linking.ts";
import { card, clicks, form, says, whispers } from "../../support/speak.ts";
import type { World, WorldOptions } from "../../support/world.ts";

async function townWith(options: Omit<WorldOptions, "store"> = {}): Promise<{ town: World; database: AwayStore }> {
  const database = awayStore();
  return { town: await approvalTown({ ...options, store: database.wrap }), database };
}

async function readyz(town: World): Promise<{ status: number; text: string }> {
  const response = await fetch(`${town.botUrl()}/readyz`);
  return { status: response.status, text: await response.text() };
}

test("looking goes on with the account that is known, and never with another one instead", async () => {
  const { town, database } = await townWith({ users: [danas] });
  await using _town = town;
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, developer, "/gantry list");
  const before = town.sent().length;

  database.leave();

  expect(await says(town, developer, "/gantry list")).toContain("web");
  expect(await says(town, developer, "/gantry show service/web")).toContain("🟢 web · running");
  expect(
    town
      .sent()
      .slice(before)
      .map(({ username }) => username),
  ).toEqual(["dana-own", "dana-own", "dana-own", "dana-own"]);
  // Nobody knows whether alex has an account of their own, so the workspace's is not taken.
  expect(await says(town, approver, "/gantry list")).toMatch(/can't reach my database.*your account/su);
  expect(town.sent()).toHaveLength(before + 4);
});

test("an account that was unlinked is not used any more, whatever the database said before it went", async () => {
  const { town, database } = await townWith({ users: [danas] });
  await using _town = town;
  const { developer } = town;
  await connects(town, developer, danas);
  await says(town, developer, "/gantry list");
  await says(town, developer, "/gantry disconnect");
  const before = town.sent().length;

  database.leave();

  expect(await says(town, developer, "/gantry list")).toMatch(/can't reach my database/u);
  expect(town.sent()).toHaveLength(before);
});

test("writes, votes, connect and disconnect are refused with a sentence, and nothing runs", async () => {
  const { town, database } = await townWith({ users: [danas] });
  await using _town = town;
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  await says(town, developer, "/gantry connect");
  const before = town.calls().length;
  database.leave();

  expect(await sends(town, developer, danas)).toMatch(/Not started: the database didn't confirm/u);
  await developer.closes();
  expect(await says(town, developer, "/gantry scale web 5")).toMatch(/Not started/u);
  expect(await says(town, developer, "/gantry disconnect")).toMatch(/Not started/u);
  await clicks(town, approver, "Approve");
  expect(whispers(approver).at(-1)).toMatch(/Not started/u);
  await clicks(town, approver, "Reject");
  expect(whispers(approver).at(-1)).toMatch(/database/u);
  expect(approver.modal()).toBeUndefined();

  await clicks(town, developer, "Cancel request");
  expect(whispers(developer).at(-1)).toMatch(/Not started/u);
  expect(town.calls()).toHaveLength(before);
});

describe("for a while", () => {
  let town: World;
  let database: AwayStore;
  beforeAll(async () => void ({ town, database } = await townWith()));
  afterEach(async () => {
    database.comeBack();
    await town.sweep();
  });
  afterAll(() => town.close());

  test("what is known of an account is believed for a quarter of an hour", async () => {
    await says(town, town.developer, "/gantry list");
    database.leave();

    town.passMinutes(14);
    expect(await says(town, town.developer, "/gantry list")).toContain("web");
    town.passMinutes(2);
    expect(await says(town, town.developer, "/gantry list")).toMatch(/can't reach my database/u);
  });

  test("a form that cannot be written down stays, with the reason and what was typed, and can be sent again", async () => {
    const { developer } = town;
    await says(town, developer, "/gantry scale web");
    database.leave();

    await developer.submits({ size: "5", reason: "the sale begins" });
    await town.settled();

    expect(form(developer)).toMatch(/Not started: the database didn't confirm[\s\S]*the sale begins/u);
    database.comeBack();
    await developer.submits();
    await town.settled();
    expect((await town.service("web")).target_instance_size).toBe(5);
  });

  test("what lies in the database is not told from memory", async () => {
    await says(town, town.developer, "/gantry scale web 3");
    const before = town.logged().length;
    database.leave();

    for (const verb of ["history", "pending"]) {
      expect(await says(town, town.developer, `/gantry ${verb}`), verb).toMatch(
        /Couldn't read requests and history: the database can't be reached/u,
      );
    }
    // Not the person's mistake: so it isn't counted or logged as one.
    const messages = town
      .logged()
      .slice(before)
      .map(({ msg }) => msg);
    expect(messages).not.toContain("a command had a mistake");
    expect(messages.filter((msg) => msg === "a command couldn't be answered")).toHaveLength(2);
    expect(await says(town, town.developer, "/gantry whoami")).toContain("gantry, workspace account");
    expect(await says(town, town.developer, "/gantry help")).toContain("/gantry scale NAME N");
  });

  test("/readyz says that the database doesn't answer, and that it does again; /healthz does not mind", async () => {
    expect(await readyz(town)).toMatchObject({ status: 200 });

    database.leave();
    town.passSeconds(1);
    expect(await readyz(town)).toMatchObject({
      status: 503,
      text: expect.stringMatching(/database can't be used: it can't be reached/u),
    });
    expect((await fetch(`${town.botUrl()}/healthz`)).status).toBe(200);

    database.comeBack();
    town.passSeconds(1);
    expect(await readyz(town)).toMatchObject({ status: 200 });
  });

  test("/readyz says that no heartbeat is stored, though the database takes writes", async () => {
    town.passMinutes(1);

    expect(await readyz(town)).toMatchObject({ status: 503, text: expect.stringMatching(/stored no heartbeat/u) });
    await town.sweep();
    town.passSeconds(1);
    expect(await readyz(town)).toMatchObject({ status: 200 });
  });
});

test("when it is back, what waited goes on", async () => {
  const { town, database } = await townWith();
  await using _town = town;
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  database.leave();
  await clicks(town, approver, "Approve");
  await expect(town.sweep()).rejects.toThrow(/can't be used/u);

  database.comeBack();
  await town.sweep();
  expect(card(developer)).toMatch(/0 of 1/u);
  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/web restarted|restarting web/u);
});

test("when it goes before the claim is written, nothing is sent, and it runs once when it is back", async () => {
  const { town, database } = await townWith({
    via: async (request, send) => {
      const response = await send(request);
      if (reads === 2) database.leave();
      reads += request.method === "GET" ? 1 : 0;
      return response;
    },
  });
  await using _town = town;
  let reads = 1;
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");

  await clicks(town, approver, "Approve");
  expect(count(town, "restartService")).toBe(0);
  expect(whispers(approver).at(-1)).toMatch(/lost my database/u);

  reads = 100;
  database.comeBack();
  await town.sweep();
  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/web restarted|restarting web/u);
});

test("when it goes after the request left, the result is read back when it is back, and nothing is sent twice", async () => {
  const { town, database } = await townWith({
    via: async (request, send) => {
      const response = await send(request);
      if (request.method === "PUT" && isFirst) database.leave();
      isFirst = isFirst && request.method !== "PUT";
      return response;
    },
  });
  await using _town = town;
  let isFirst = true;
  const { developer } = town;

  const told = await says(town, developer, "/gantry scale web 4");
  expect(told).toMatch(/lost my database/u);
  expect((await town.service("web")).target_instance_size).toBe(4);

  database.comeBack();
  await town.sweep();
  expect(count(town, "updateService")).toBe(1);
  // Two of the four instances may still be starting.
  expect(card(developer)).toMatch(/^(?:✅|🟡) web scaled to 4[\s\S]*instances 2 → 4/u);
});
