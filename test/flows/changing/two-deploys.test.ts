import { describe, expect, test } from "vitest";
import { rolloutTown } from "../../support/rollout-town.ts";
import { card, saysIn } from "../../support/speak.ts";

describe.each(["http", "socket"] as const)("two deploys of one service at once, over %s", (transport) => {
  test("the second waits for the first, isn't run, and says what changed meanwhile", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await using town = await rolloutTown(["web"], {
      transport,
      async via(request, send) {
        if (request.method === "PUT") await held;
        return send(request);
      },
    });
    const { developer } = town;
    await saysIn(town, { person: developer, channel: "general" }, "/invite @gantry");

    await developer.says("/gantry deploy web 1.5", { channel: "ops" });
    await town.until(() => town.calls().includes("updateService"));
    await developer.says("/gantry deploy web 1.6", { channel: "general" });
    await town.until(() => card(developer, "general").includes("1.6"));
    expect(town.writes).toEqual([]);
    release();
    await town.settled();
    await town.later(60);
    await town.settled();

    expect(town.writes).toEqual(["web 1.5"]);
    expect(card(developer, "ops")).toMatch(/^🔄 Deploying 1\.5 to web…/u);
    expect(card(developer, "general")).toMatch(
      /^⚠️ web changed while this waited\nNothing was run\.\n.*shop\/web:1\.4 when requested → shop\/web:1\.5 now/u,
    );
    expect(card(developer, "general")).toContain("[Request shop/web:1.5 → shop/web:1.6]");
  });
});
