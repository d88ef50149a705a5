import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AdoptedApi, adoptedTown, longName } from "../../support/adopted-services.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, clicks, form, home, says } from "../../support/speak.ts";
import { newest, type World } from "../../support/world.ts";

let town: World;
let api: AdoptedApi;
beforeAll(async () => {
  ({ town, ...api } = await adoptedTown({ policy: openPolicy }));
});
afterAll(async () => town.close());

let writesBefore = 0;
beforeEach(() => {
  api.refuses(undefined);
  writesBefore = api.writes.length;
});

/** What was written since the test began. */
const written = () => api.writes.slice(writesBefore);

const names = ["redis.cache", longName];

describe("a service that Gantry found in a cluster", () => {
  test.each(names)("is scaled, restarted and undone by words: %s", async (name) => {
    await says(town, town.developer, `/gantry scale ${name} 3`);
    expect(card(town.developer)).toContain(name);
    expect(card(town.developer)).toMatch(/instances \d → 3/u);
    await says(town, town.developer, `/gantry restart ${name}`);

    expect(written()).toEqual([name, `${name}/restart`]);
  });

  test.each(names)("has a form that opens from its card: %s", async (name) => {
    await says(town, town.developer, `/gantry show ${name}`);
    await clicks(town, town.developer, "Scale");

    expect(form(town.developer)).toContain(name);
    await town.developer.submits({ size: "4" });
    await town.settled();
    await town.developer.closes();

    expect(written()).toEqual([name]);
  });

  test("is found by a picker by each part of its name, which says what it has no room for", async () => {
    await says(town, town.developer, "/gantry show");

    expect(JSON.stringify(await town.developer.searches("name", "cache"))).toContain("redis.cache");
    expect(JSON.stringify(await town.developer.searches("name", ""))).toContain("1 name is too long");
    await town.developer.closes();
  });

  test("is understood in a sentence, and confirmed by its whole name", async () => {
    await town.developer.says("@gantry could you scale redis.cache to 5?", { channel: "ops" });
    await town.settled();
    expect(newest(town.developer, "ops")).toMatch(/Scale redis\.cache to 5\?/u);
    await clicks(town, town.developer, "Scale redis.cache to 5");

    expect(written()).toEqual(["redis.cache"]);
  });

  test("is on Home with both of its parts", async () => {
    await town.developer.opensHome();
    await town.settled();

    expect(home(town.developer)).toContain("redis.cache");
  });
});

describe("what its owner doesn't allow", () => {
  const helm = "web is managed by the Helm release shop: change its memory there. Nothing was changed.";

  test.each([400, 403, 409])("is on the card with the reason of the API, not with a guess: %d", async (status) => {
    api.refuses({ status, message: helm });

    await says(town, town.developer, "/gantry scale redis.cache 6");

    const shown = card(town.developer);
    expect(shown).toContain("web is managed by the Helm release shop: change its memory there.");
    expect(shown).not.toMatch(/name is taken|allow this account/u);
    expect(shown.match(/Nothing was changed/gu)).toHaveLength(1);
  });

  test("a right that Gantry's account lacks is no reason to connect another account", async () => {
    const message =
      "Couldn't scale the service redis.cache: Gantry's account in the cluster may not patch deployments in the " +
      "namespace shop. Nothing was changed. Add the verb patch for deployments (API group apps) to Gantry's Role there.";
    api.refuses({ status: 403, message });

    await says(town, town.developer, "/gantry scale redis.cache 6");

    const shown = card(town.developer);
    expect(shown).toContain("Nothing was changed. Add the verb patch for deployments (API group apps)");
    expect(shown).not.toContain("Connect another account");
  });
});
