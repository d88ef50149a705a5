import { describe, expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { adoptedTown, longName } from "../../support/adopted-services.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, clicks, form, home, says } from "../../support/speak.ts";
import { newest } from "../../support/world.ts";

const open = { policy: openPolicy };
const names = ["redis.cache", longName];

describe("a service that Gantry found in a cluster", () => {
  test("has several containers, a variable without value, no ports and no memory, and its card says no more than is known", async () => {
    const { town } = await adoptedTown();
    await using _town = town;

    const shown = await says(town, town.developer, "/gantry show redis.cache");

    expect(shown).toMatchInlineSnapshot(`
      "🟢 redis.cache · running
      service · beijing1 · 2 containers
      2 of 2 instances
      Container redis  redis:7 · REDIS_PASSWORD
      Container exporter  exporter:1 · 64 MiB
      Not reported by the workload API: command, ports, volumes, domains
      [Logs] [Restart] [Scale] [Tell me here] [Refresh] [… Stop | Memory | Domains | Create like this | Delete]"
    `);
  });

  test("is listed; a name that doesn't fit is cut in the middle, and show has all of it", async () => {
    const { town } = await adoptedTown();
    await using _town = town;

    const list = await says(town, town.developer, "/gantry list services");
    const shown = await says(town, town.developer, `/gantry show ${longName}`);

    expect(list).toContain("redis.cache");
    expect(list).toMatch(/checkout-very-[a-z-]*…[a-z-]*long-eu1-v2\.4/u);
    expect(shown).toContain(longName);
  });

  test.each(names)("is scaled, restarted and undone by words: %s", async (name) => {
    const { town, writes } = await adoptedTown(undefined, open);
    await using _town = town;

    await says(town, town.developer, `/gantry scale ${name} 3`);
    expect(card(town.developer)).toContain(name);
    expect(card(town.developer)).toMatch(/instances \d → 3/u);
    await says(town, town.developer, `/gantry restart ${name}`);

    expect(writes).toEqual([name, `${name}/restart`]);
  });

  test.each(names)("has a form that opens from its card: %s", async (name) => {
    const { town, writes } = await adoptedTown(undefined, open);
    await using _town = town;
    await says(town, town.developer, `/gantry show ${name}`);
    await clicks(town, town.developer, "Scale");

    expect(form(town.developer)).toContain(name);
    await town.developer.submits({ size: "4" });
    await town.settled();

    expect(writes).toEqual([name]);
  });

  test("is found by a picker by each part of its name, which says what it has no room for", async () => {
    const { town } = await adoptedTown();
    await using _town = town;
    await says(town, town.developer, "/gantry show");

    expect(JSON.stringify(await town.developer.searches("name", "cache"))).toContain("redis.cache");
    expect(JSON.stringify(await town.developer.searches("name", ""))).toContain("1 name is too long");
  });

  test("is understood in a sentence, and confirmed by its whole name", async () => {
    const { town, writes } = await adoptedTown(undefined, open);
    await using _town = town;

    await town.developer.says("@gantry could you scale redis.cache to 3?", { channel: "ops" });
    await town.settled();
    expect(newest(town.developer, "ops")).toMatch(/Scale redis\.cache to 3\?/u);
    await clicks(town, town.developer, "Scale redis.cache to 3");

    expect(writes).toEqual(["redis.cache"]);
  });

  test("is on Home with both of its parts", async () => {
    const { town } = await adoptedTown();
    await using _town = town;

    await town.developer.opensHome();
    await town.settled();

    expect(home(town.developer)).toContain("redis.cache");
  });
});

describe("what its owner doesn't allow", () => {
  const helm = "web is managed by the Helm release shop: change its memory there. Nothing was changed.";

  test.each([400, 403, 409])("is on the card with the reason of the API, not with a guess: %d", async (status) => {
    const { town } = await adoptedTown({ status, message: helm }, open);
    await using _town = town;

    await says(town, town.developer, "/gantry scale redis.cache 3");

    const shown = card(town.developer);
    expect(shown).toContain("web is managed by the Helm release shop: change its memory there.");
    expect(shown).not.toMatch(/name is taken|allow this account/u);
    expect(shown.match(/Nothing was changed/gu)).toHaveLength(1);
  });

  test("is said with the way out that the API names, instead of any other advice", async () => {
    const message =
      "Gantry may not delete service redis.cache: it belongs to Helm release cache. Nothing was changed. Delete it " +
      "there, or allow it with adopt.allow in SERVICE_CLUSTERS.";
    const { town } = await adoptedTown({ status: 409, message }, open);
    await using _town = town;

    await says(town, town.developer, "/gantry delete redis.cache");

    expect(card(town.developer).split("\n").slice(0, 3).join("\n")).toMatchInlineSnapshot(`
      "❌ redis.cache wasn't deleted
      The workload API refused the request: Gantry may not delete service redis.cache: it belongs to Helm release cache.
      Nothing was changed. Delete it there, or allow it with adopt.allow in SERVICE_CLUSTERS."
    `);
  });

  test("a right that Gantry's account lacks is no reason to connect another account", async () => {
    const message =
      "Couldn't scale the service redis.cache: Gantry's account in the cluster may not patch deployments in the " +
      "namespace shop. Nothing was changed. Add the verb patch for deployments (API group apps) to Gantry's Role there.";
    const { town } = await adoptedTown({ status: 403, message }, open);
    await using _town = town;

    await says(town, town.developer, "/gantry scale redis.cache 3");

    const shown = card(town.developer);
    expect(shown).toContain("Nothing was changed. Add the verb patch for deployments (API group apps)");
    expect(shown).not.toContain("Connect another account");
  });
});

test("a name that is something else is told as what it is, whichever verb asks", async () => {
  const instead = "canary is an Argo Rollout, which Gantry doesn't run. Use kubectl argo rollouts.";
  await using town = await approvalTown({
    async via(request, send) {
      const isAsked = request.method === "GET" && new URL(request.url).pathname.endsWith("/services/canary");
      return isAsked
        ? Response.json({ message: "no service is named canary", instead }, { status: 404 })
        : send(request);
    },
  });

  for (const words of ["show canary", "restart canary", "why canary"]) {
    expect(await says(town, town.developer, `/gantry ${words}`)).toContain(instead);
  }
});
