import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RolloutTown, rolloutTown } from "../../support/rollout-town.ts";
import { othersApprove } from "../../support/policies.ts";
import { card, clicks, idOf, says } from "../../support/speak.ts";

const rollout = { from: 1, to: 2, target: 3 };

describe("a deploy", () => {
  test("is followed from its first new instance to the end", async () => {
    await using town = await rolloutTown(["web"]);

    await says(town, town.developer, "/gantry deploy web 1.5");
    await town.later(3);
    expect(card(town.developer)).toMatch(
      /^🔄 Deploying :1\.5 to web…[\s\S]*0 of 3 on :1\.5 · \d+ s · 3 old instances still serve/u,
    );
    for (let polls = 0; polls < 4; polls += 1) await town.later(3);
    expect(card(town.developer)).toMatch(/0 of 3 on :1\.5 · 1\d s · 3 old/u);

    town.nowIs("web", { status: "Updating", rollout: { ...rollout, state: "progressing", ready: 2, old_ready: 1 } });
    await town.later(4);
    expect(card(town.developer)).toMatch(/2 of 3 on :1\.5 · \d+ s · 1 old instance still serves/u);

    town.nowIs("web", { rollout: { ...rollout, state: "done", ready: 3, old_ready: 0 } });
    await town.later(4);
    expect(card(town.developer)).toMatch(/^✅ Deployed :1\.5 to web\n3 of 3 running after \d+ s/u);
    expect(card(town.developer)).toContain("[Roll back]");
    expect(town.thread("ops").join("\n")).not.toContain("Took effect");
  });

  test("redraws its card every three seconds at most, however quickly its instances change", async () => {
    await using town = await rolloutTown(["web"]);
    await says(town, town.developer, "/gantry deploy web 1.5");
    const drawn = (): number =>
      town.playground.transcript().filter(({ direction, kind }) => direction === "from bot" && kind === "chat.update")
        .length;
    const startMs = Date.now();
    const redrawnAt: number[] = [];

    for (let step = 1; step <= 36; step += 1) {
      const ready = (step % 7) % 3;
      town.nowIs("web", {
        status: "Updating",
        rollout: { ...rollout, state: "progressing", ready, old_ready: 3 - ready },
      });
      const before = drawn();
      await town.later(0.5);
      // The clock of the test goes on beside the steps.
      if (drawn() > before) redrawnAt.push(step * 500 + Date.now() - startMs);
    }

    const pauses = redrawnAt.slice(1).map((ms, at) => ms - (redrawnAt[at] ?? 0));
    expect(pauses.length).toBeGreaterThan(2);
    // A look is at most one step late, and so the next pause that much shorter.
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(2_500);
  });

  test("that doesn't get ready goes back automatically, once, as was asked for", async () => {
    await using town = await rolloutTown(["web"]);
    await says(town, town.developer, "/gantry deploy web 1.5");
    expect(card(town.developer)).toContain("back to version 1 automatically if the new instances don't get ready");
    await town.later(3);

    town.nowIs("web", {
      status: "Failed",
      message: "no such image",
      rollout: { ...rollout, state: "stuck", ready: 0, old_ready: 3 },
    });
    await town.later(4);
    await town.settled();

    const deployed = (): string =>
      town.developer.sees("ops").find(({ text }) => text.includes(":1.5 didn't get ready"))?.text ?? "";
    expect(deployed()).toMatch(
      /^🔴 web goes back to :1\.4, because :1\.5 didn't get ready\nIts new instances can't pull their images · no such image · .*3 old instances still serve\nGoing back automatically \(on-failure: roll-back\)\n/u,
    );
    expect(deployed()).not.toContain("[Roll back]");
    expect(card(town.developer)).toBe(deployed());
    expect((await town.service("web")).containers?.[0]?.image).toBe("shop/web:1.4");

    town.isWell("web");
    await town.later(60);
    await town.later(600);
    expect(town.calls().filter((op) => op === "updateService")).toHaveLength(2);
    expect(deployed()).toMatch(
      /^❌ web stays on :1\.4, because :1\.5 didn't get ready\nIts new instances can't pull their images · no such image\nWent back automatically .* UTC \(on-failure: roll-back\) · 3 of 3 running\nImage .* · requested by @dana\nLast errors\n```\nno database\n```\n/u,
    );
    const history = await says(town, town.developer, "/gantry history web");
    expect(history).toMatch(/Rolled back web to :1\.4 · automatic, for request [0-9A-Z]{6} · /u);
    expect(history).toMatch(/❌ web stays on :1\.4, because :1\.5 didn't get ready · by Dana Reyes · /u);
  });

  test("over one that doesn't get ready goes back to what still serves, and its card says that before", async () => {
    await using town = await rolloutTown(["web"]);
    await says(town, town.developer, "/gantry deploy web 1.5 --on-failure stop");
    town.isStuck("web", "no database");
    await town.later(3);

    await says(town, town.developer, "/gantry deploy web 1.6");
    expect(card(town.developer)).toContain("back to version 1 automatically if the new instances don't get ready");
    await town.later(3);
    town.isStuck("web", "no database");
    await town.later(4);
    await town.settled();

    expect(card(town.developer)).toMatch(/^🔴 web goes back to :1\.4, because :1\.6 didn't get ready\n/u);
    expect(town.writes).toEqual(["web 1.5", "web 1.6", "web 1.4"]);
  });

  test("with --on-failure stop is no duplicate of one without", async () => {
    await using town = await rolloutTown(["web"], { policy: othersApprove });
    await says(town, town.developer, "/gantry deploy web 1.5");
    const first = idOf(card(town.developer));

    await says(town, town.developer, "/gantry deploy web 1.5 --on-failure stop");

    expect(idOf(card(town.developer))).not.toBe(first);
    expect(card(town.developer)).toContain("stays as it is if the new instances don't get ready");
  });

  test("that somebody scales meanwhile is still followed, and goes back when it doesn't get ready", async () => {
    await using town = await rolloutTown(["web"]);
    await says(town, town.developer, "/gantry deploy web 1.5");
    await town.later(3);
    await says(town, town.developer, "/gantry scale web 4");
    town.isStuck("web", "there is no image shop/web:1.5");
    await town.later(4);

    expect(town.writes).toEqual(["web 1.5", "web 1.4"]);
  });

  test("that doesn't get ready says why and what still serves, and the way back is one button, where it was asked to stop", async () => {
    await using town = await rolloutTown(["web"]);
    await says(town, town.developer, "/gantry deploy web 1.5 --on-failure stop");
    await town.later(3);

    const message = "web-0 can't be started: there is no image shop/web:1.5";
    town.nowIs("web", {
      status: "Failed",
      message,
      rollout: { ...rollout, state: "stuck", ready: 0, old_ready: 3, message },
    });
    await town.later(4);

    expect(card(town.developer)).toMatch(/^🔴 Deploying :1\.5 to web: its new instances can't pull their images/u);
    expect(card(town.developer)).toContain(message);
    expect(card(town.developer)).toContain("3 old instances still serve");
    expect(town.thread("ops").join("\n")).toContain(
      "🔴 web: its new instances can't pull their images · web-0 can't be started",
    );
    await clicks(town, town.developer, "Roll back");
    expect(card(town.developer)).toMatch(/^🔄 Rolling back web to :1\.4/u);
    expect((await town.service("web")).containers?.[0]?.image).toBe("shop/web:1.4");
  });
});

describe("a deploy that was in trouble", () => {
  test("turns green when it gets healthy after all, on its card, in its thread and in history", async () => {
    await using town = await rolloutTown(["web"]);
    const { developer } = town;
    await says(town, developer, "/gantry deploy web 1.5 --on-failure stop");
    await town.later(3);
    town.isStuck("web", "no such image");
    await town.later(4);
    await town.later(120);
    expect(card(developer)).toMatch(/^🔴 Deploying :1\.5 to web: its new instances can't pull their images\n/u);
    expect(await says(town, developer, "/gantry history web")).toMatch(/🔴 Deploying :1\.5 to web: its new/u);

    town.isWell("web");
    await town.later(40);
    await town.later(600);

    expect(card(developer)).toMatch(/^✅ Deployed :1\.5 to web\n3 of 3 running after 2 min/u);
    const [, ...thread] = town.thread("ops");
    expect(thread.map((text) => text.split("\n")[0])).toEqual([
      "🔴 web: its new instances can't pull their images · no such image · 0 of 3 new instances ready · 3 old instances still serve · @dana",
      "🟢 web got healthy · 3 of 3 running · @dana",
    ]);
    expect(await says(town, developer, "/gantry history web")).toMatch(/✅ Deployed :1\.5 to web · by/u);
    expect(await says(town, developer, "/gantry versions web")).not.toContain("never got ready");
  });

  test.each(["deploy web 1.5", "env web --set LEVEL=debug"])(
    "doesn't begin another way back for the same trouble, and a way back that ran isn't taken for its recovery: %s",
    async (words) => {
      await using town = await rolloutTown(["web"]);
      const { developer } = town;
      await says(town, developer, `/gantry ${words}`);
      await town.later(3);
      town.isStuck("web", "no such image");
      await town.later(4);
      town.isWell("web");
      for (let minutes = 0; minutes < 12; minutes += 1) await town.later(60);

      expect(town.revisions).toEqual(["web 1"]);
      const [deployed] = developer.sees("ops");
      expect(deployed?.text).toMatch(
        /^❌ web stays on (?::1\.4|version 1), because .* didn't get ready\nIts new instances can't/u,
      );
      expect(town.thread("ops").join("\n")).not.toContain("got healthy");
    },
  );
});

test("a deploy of a stopped service is over at once, and says when it runs", async () => {
  await using town = await rolloutTown(["web"]);
  const { developer, approver } = town;
  town.setPolicy(othersApprove);
  town.nowIs("web", { status: "Stopped", ready_instances: 0 });
  await says(town, developer, "/gantry deploy web 1.5");
  expect(card(developer)).toContain("• runs when it is started");
  expect(card(developer)).not.toMatch(/back to revision|Replaces every instance/u);
  await says(town, approver, `/gantry approve ${idOf(card(developer))}`);
  town.nowIs("web", { status: "Stopped", ready_instances: 0 });
  await town.later(3);
  await town.settled();

  expect(card(developer)).toMatch(/^✅ Deployed :1\.5 to web\nStopped · runs when it is started/u);
  expect(town.thread("ops").join("\n")).not.toContain("rollout began");
});

describe("a deploy in other words", () => {
  const names = ["web", "shop", "api", "queue", "mail"] as const; // the names themselves
  let town: RolloutTown;
  beforeAll(async () => {
    town = await rolloutTown(names);
    for (const name of names) town.othersDeploy(name, `shop/${name}:1.4.9`);
  });
  afterAll(async () => town.close());

  test.each([
    ["/gantry roll web back", "Roll back web", "web 1.4"],
    ["@gantry roll shop back", "Roll back shop", "shop 1.4"],
    ["/gantry rollback api to 1.4", "Run /gantry deploy api 1.4", "api 1.4"],
    ["/gantry revert queue 1", "Roll back queue to version 1", "queue 1.4"],
    ["/gantry ship mail 1.5", "Run /gantry deploy mail 1.5", "mail 1.5"],
  ])("%s is offered as a button", async (text, label, write) => {
    const before = town.writes.length;
    await says(town, town.developer, text);
    expect(town.writes).toHaveLength(before);
    await clicks(town, town.developer, label);

    expect(town.writes.slice(before)).toEqual([write]);
  });
});
