import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { operationOf } from "../../support/operation-of.ts";
import { card, clicks, says } from "../../support/speak.ts";
import { type World, world } from "../../support/world.ts";

type Town = World & { readonly nowIs: (fields: object) => void; readonly later: (seconds: number) => Promise<void> };

/** A town whose workload API keeps revisions, and reports a rollout as the test says. */
async function townWithRevisions(): Promise<Town> {
  const revisions = [{ revision: 1, images: ["shop/web:1.4"] }];
  const runs = { status: "Running", ready_instances: 3, target_instance_size: 3, restarts: { count: 0 } };
  let web = { name: "web", uid: "u1", containers: [{ name: "web", image: "shop/web:1.4" }], revision: 1, revisions };
  let more: object = runs;
  const answer = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname.endsWith("/healthz")) {
      const engine = { title: "Test", regions: [], updates: ["image", "env", "revision"] };
      return Response.json({ status: "ok", engine });
    }
    const op = operationOf(request);
    if (op === "listServices") return Response.json({ services: [{ ...web, ...more }] });
    if (op === "listJobs") return Response.json({ jobs: [] });
    if (op === "getServiceLogs") return Response.json([{ instance_name: "web-0", log: "error: no database" }]);
    if (op === "updateService") {
      const body = (await request.json()) as { containers?: { image?: string }[]; revision?: number }; // of a deploy or a rollback
      const back = web.revisions.find(({ revision }) => revision === body.revision)?.images[0];
      const image = body.containers?.[0]?.image ?? back ?? "none";
      const revision = web.revision + 1;
      web = {
        ...web,
        containers: [{ name: "web", image }],
        revision,
        revisions: [{ revision, images: [image] }, ...web.revisions],
      };
      const rollout = { from: revision - 1, to: revision, state: "progressing", ready: 0, target: 3, old_ready: 3 };
      more = { ...runs, status: "Updating", rollout };
    }
    return Response.json({ ...web, ...more });
  };
  const town = await world({ policy: openPolicy, apiFetch: answer, wait: () => turn() });
  return {
    ...town,
    nowIs: (fields) => void (more = { ...runs, ...fields }),
    async later(seconds) {
      town.passMinutes(seconds / 60);
      await town.sweep();
    },
  };
}

const rollout = { from: 1, to: 2, target: 3 };

describe("a deploy", () => {
  test("is followed from its first new instance to the end", async () => {
    await using town = await townWithRevisions();

    await says(town, town.developer, "/gantry deploy web 1.5");
    await town.later(3);
    expect(card(town.developer)).toMatch(
      /^🔄 Deploying 1\.5 to web…[\s\S]*0 of 3 new instances ready after \d+ s · 3 old instances still serve/u,
    );

    town.nowIs({ status: "Updating", rollout: { ...rollout, state: "progressing", ready: 2, old_ready: 1 } });
    await town.later(4);
    expect(card(town.developer)).toMatch(/2 of 3 new instances ready after \d+ s · 1 old instance still serves/u);

    town.nowIs({ rollout: { ...rollout, state: "done", ready: 3, old_ready: 0 } });
    await town.later(4);
    expect(card(town.developer)).toMatch(/^✅ Deployed 1\.5 to web\n3 of 3 running after \d+ s/u);
    expect(card(town.developer)).toContain("[Roll back]");
    expect(town.thread("ops").join("\n")).not.toContain("Took effect");
  });

  test("that doesn't get ready goes back automatically, once, as was asked for", async () => {
    await using town = await townWithRevisions();
    await says(town, town.developer, "/gantry deploy web 1.5");
    expect(card(town.developer)).toContain("back to revision 1 automatically if the new instances don't get ready");
    await town.later(3);

    town.nowIs({
      status: "Failed",
      message: "no such image",
      rollout: { ...rollout, state: "stuck", ready: 0, old_ready: 3 },
    });
    await town.later(4);
    await town.settled();

    const cards = town.developer.sees("ops").map(({ text }) => text);
    expect(cards.find((text) => text.startsWith("🔴 Deploying 1.5 to web"))).not.toContain("[Roll back]");
    expect(card(town.developer)).toContain("back to revision 1 automatically: the new instances don't get ready");
    expect((await town.service("web")).containers?.[0]?.image).toBe("shop/web:1.4");
    await town.later(60);
    await town.later(600);
    expect(town.calls().filter((op) => op === "updateService")).toHaveLength(2);
  });

  test("leaves somebody else's newer version alone", async () => {
    await using town = await townWithRevisions();
    await says(town, town.developer, "/gantry deploy web 1.5");
    await town.later(3);

    town.nowIs({
      status: "Failed",
      revision: 3,
      rollout: { from: 2, to: 3, state: "stuck", ready: 0, target: 3, old_ready: 3 },
    });
    await town.later(4);
    await town.later(60);

    expect(town.calls().filter((op) => op === "updateService")).toHaveLength(1);
  });

  test("that doesn't get ready says why and what still serves, and the way back is one button, where it was asked to stop", async () => {
    await using town = await townWithRevisions();
    await says(town, town.developer, "/gantry deploy web 1.5 --on-failure stop");
    await town.later(3);

    const message = "web-0 can't be started: there is no image shop/web:1.5";
    town.nowIs({ status: "Failed", message, rollout: { ...rollout, state: "stuck", ready: 0, old_ready: 3, message } });
    await town.later(4);

    expect(card(town.developer)).toMatch(/^🔴 Deploying 1\.5 to web: the new instances don't get ready/u);
    expect(card(town.developer)).toContain(message.slice(1));
    expect(card(town.developer)).toContain("3 old instances still serve");
    await clicks(town, town.developer, "Roll back");
    expect(card(town.developer)).toMatch(/^🔄 Rolling back web to 1\.4/u);
    expect((await town.service("web")).containers?.[0]?.image).toBe("shop/web:1.4");
  });
});
