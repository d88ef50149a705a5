import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AdoptedApi, adoptedTown } from "../../support/adopted-services.ts";
import { count } from "../../support/approval-town.ts";
import { othersApprove } from "../../support/policies.ts";
import { card, clicks, form, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

let town: World;
let api: AdoptedApi;
beforeAll(async () => {
  ({ town, ...api } = await adoptedTown({ policy: othersApprove }));
});
afterAll(async () => town.close());

/** What was there before a test. */
let before = { cards: 0, writes: 0 };
beforeEach(() => {
  api.refuses(undefined);
  before = { cards: cards().length, writes: api.writes.length };
});

const cards = () => town.approver.sees("ops");

/** The cards on which somebody was asked to approve since the test began. */
const asked = () =>
  cards()
    .slice(before.cards)
    .flatMap(({ text }) => (text.includes("[Approve]") ? [text] : []));
const written = () => api.writes.slice(before.writes);

const ofHelm = "service shop: it belongs to Helm release shop.";

describe("what the workload API says that it would refuse", () => {
  test("is refused at once with its reason, and is in history, for one call; nobody is asked", async () => {
    const calls = count(town, "getService");

    const answer = await says(town, town.developer, "/gantry memory service/shop 512 --reason tidy-up");

    expect(answer).toContain(`🚫 Gantry may not change the memory of ${ofHelm} Change it there.`);
    expect(answer.match(/Nothing was changed/gu)).toHaveLength(1);
    expect(count(town, "getService") - calls).toBe(1);
    expect(asked()).toEqual([]);
    expect(written()).toEqual([]);
    expect(await says(town, town.developer, "/gantry history")).toContain(
      "Refused: set memory of shop · asked by Dana Reyes",
    );
  });

  test("is said by its form before it is sent, and the form stays with the reason and what was typed", async () => {
    const { developer } = town;

    await says(town, developer, "/gantry memory shop");
    expect(form(developer)).toContain(`🚫 Gantry may not change the memory of ${ofHelm}`);
    await developer.submits({ mib: "512", reason: "the sale begins" });
    await town.settled();

    expect(form(developer)).toContain(`Gantry may not change the memory of ${ofHelm}`);
    expect(form(developer)).toContain("the sale begins");
    await developer.closes();
    expect(asked()).toEqual([]);
    expect(written()).toEqual([]);
  });

  test("is said by a form that chooses the workload, and by a preview, which can't be sent", async () => {
    const { developer } = town;

    await says(town, developer, "/gantry delete");
    await developer.selects("name", "shop");
    await town.settled();
    expect(form(developer)).toContain(`🚫 Gantry may not delete ${ofHelm}`);
    await developer.closes();
    await says(town, developer, "/gantry domains shop");
    await developer.submits({ domains: "a.example.com" });
    await town.settled();

    expect(form(developer)).toContain(`Gantry may not change the domains of ${ofHelm}`);
    expect(form(developer)).not.toContain("Request approval");
    await developer.closes();
    expect(asked()).toEqual([]);
  });

  test("is left out of a request for several workloads, with its reason, and the others are done", async () => {
    const { developer, approver } = town;

    await says(town, developer, "/gantry delete redis.cache shop --reason tidy-up");
    expect(card(developer)).toContain("Left out: Gantry may not delete service shop: it belongs to Helm release shop");
    await clicks(town, approver, "Approve");

    expect(written()).toEqual(["redis.cache"]);
    expect(card(developer)).toContain("Left out: Gantry may not delete service shop");
  });

  test("of several workloads, all of which it would refuse, is refused for each", async () => {
    const answer = await says(town, town.developer, "/gantry delete shop job/tidy --reason tidy-up");

    expect(answer).toContain(`🚫 Gantry may not delete ${ofHelm}`);
    expect(answer).toContain("Gantry may not delete job tidy: it belongs to CronJob tidy.");
    expect(asked()).toEqual([]);
    expect(written()).toEqual([]);
  });
});

describe("what it doesn't say that it would refuse", () => {
  test("is refused when it is sent, with the reason", async () => {
    const message = "Gantry may not delete service redis.cache: it belongs to Helm release cache. Nothing was changed.";
    api.refuses({ status: 409, message });

    await says(town, town.developer, "/gantry delete redis.cache --reason tidy-up");
    expect(asked()).toHaveLength(1);
    await clicks(town, town.approver, "Approve");

    expect(card(town.developer)).toContain("it belongs to Helm release cache");
  });
});
