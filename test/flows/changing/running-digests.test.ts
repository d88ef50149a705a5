import { describe, expect, test } from "vitest";
import { rolloutTown, type RolloutTown } from "../../support/rollout-town.ts";
import { card, says } from "../../support/speak.ts";

const digests = { old: `sha256:3f2a9c1d5b6e${"0".repeat(52)}`, new: `sha256:91be02d4a7c8${"0".repeat(52)}` };

/** What a service runs: the digest as the workload API tells it, or none. */
function runs(
  town: RolloutTown,
  image: string,
  { digest, ...more }: { digest?: string; [field: string]: unknown } = {},
) {
  const [, name = ""] = /\/(\w+):/u.exec(image) ?? [];
  town.nowIs(name, { containers: [{ name, image, ...(digest !== undefined && { image_digest: digest }) }], ...more });
}

const done = { from: 1, to: 2, state: "done", ready: 3, target: 3, old_ready: 0 };

describe("the digest of what runs", () => {
  test("stands behind the tag on the card of a deploy once the new version runs, in versions, and on show", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer } = town;
    runs(town, "shop/web:1.4", { digest: digests.old });
    expect(await says(town, developer, "/gantry show web")).toContain("shop/web:1.4 · 3f2a9c1d5b6e");

    await says(town, developer, "/gantry deploy web 1.5");
    expect(card(developer)).not.toMatch(/3f2a9c1d5b6e|91be02d4a7c8/u);
    runs(town, "shop/web:1.5", { digest: digests.new, rollout: done });
    await town.later(4);

    expect(card(developer)).toMatch(
      /^✅ Deployed :1\.5 to web\n.*image shop\/web:1\.4 → shop\/web:1\.5 · 91be02d4a7c8/su,
    );
    expect(await says(town, developer, "/gantry versions web")).toMatch(
      /● 2 shop\/web:1\.5 · 91be02d4a7c8 · current.*\n○ 1 shop\/web:1\.4(?! · [0-9a-f]{12})/u,
    );
    expect(await says(town, developer, "/gantry show web")).toContain("shop/web:1.5 · 91be02d4a7c8");
  });

  test("stands on the line of each service of a deploy of several", async () => {
    await using town = await rolloutTown(["web", "worker"]);
    await says(town, town.developer, "/gantry deploy web worker 1.5");
    runs(town, "shop/web:1.5", { digest: digests.new, rollout: done });
    await town.later(4);
    runs(town, "shop/worker:1.5", { rollout: done });
    await town.later(4);

    expect(card(town.developer)).toMatch(
      /^✅ 2 of 2 deployed\n🟢 web · runs :1\.5 · 91be02d4a7c8 · 3 of 3 running\n🟢 worker · runs :1\.5 · 3 of 3 running\n/u,
    );
  });

  test("that an earlier version ran stands behind its tag in versions, where the workload API kept it", async () => {
    await using town = await rolloutTown(["web"]);
    const kept = { revision: 1, images: ["shop/web:1.5"], outcome: "done" };
    runs(town, "shop/web:1.5", {
      digest: digests.new,
      revision: 3,
      revisions: [
        { revision: 3, images: ["shop/web:1.5"], image_digests: [digests.old], outcome: "done" },
        { ...kept, revision: 2, image_digests: [digests.old] },
        kept,
      ],
    });

    expect(await says(town, town.developer, "/gantry versions web")).toMatch(
      /● 3 shop\/web:1\.5 · 91be02d4a7c8 · .*\n○ 2 shop\/web:1\.5 · 3f2a9c1d5b6e.*\n○ 1 shop\/web:1\.5(?! · [0-9a-f]{12})/u,
    );
  });

  test("tells that going back to a version runs another image, because its tag was moved since", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer } = town;
    const revisions = [
      { revision: 3, images: ["shop/web:1.4"] },
      { revision: 2, images: ["shop/web:1.5"], image_digests: [digests.new], outcome: "done" },
      { revision: 1, images: ["shop/web:1.4"], image_digests: [digests.old], outcome: "done" },
    ];
    runs(town, "shop/web:1.5", { digest: digests.new, revision: 2, revisions: revisions.slice(1) });
    await says(town, developer, "/gantry rollback web");
    runs(town, "shop/web:1.4", { digest: `sha256:c07d4e8f1b23${"0".repeat(52)}`, revision: 3, revisions });
    await town.later(4);

    expect(card(developer)).toMatch(/tag of version 1, other image: 3f2a9c1d5b6e → c07d4e8f1b23/u);
    runs(town, "shop/web:1.4", { digest: digests.old, revision: 3, revisions });
    await says(town, developer, "/gantry rollback web 2");
    runs(town, "shop/web:1.5", {
      digest: digests.new,
      revision: 4,
      revisions: [{ ...revisions[1], revision: 4 }, ...revisions],
    });
    await town.later(4);
    expect(card(developer)).toMatch(/^✅ Deployed :1\.5 to web\n/u);
    expect(card(developer)).not.toContain("other image");
  });
});
