import { expect, test } from "vitest";
import { type World, world } from "../../support/world.ts";
import { onlyInFullRuns } from "../../support/full-run.ts";
import { realTimeClock } from "../../support/test-clock.ts";

// Slow expressions leave nothing for other tests.
onlyInFullRuns();

/** A service `web` whose log is these lines; other names are unknown. */
function logOf(lines: readonly string[]): (request: Request) => Promise<Response> {
  return async ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/services/web/logs")) return Response.json(lines.map((log) => ({ log })));
    return Response.json({ message: "no such thing" }, { status: 404 });
  };
}

function seenBy(person: World["developer"]): string {
  return person
    .sees("ops")
    .map(({ text }) => text)
    .join("\n");
}

test("a slow expression blocks nobody, and its author learns what to do instead", async () => {
  // The limit is 3 s, and no machine searches this in 10.
  const clock = realTimeClock();
  await using town = await world({ clock, apiFetch: logOf(Array.from({ length: 1_000 }, () => "é".repeat(2_000))) });
  const { developer, approver } = town;

  await developer.says("/gantry logs web --size 1000 --grep \\pL{900}", { channel: "ops" });
  await approver.says("/gantry whoami", { channel: "ops" });
  await town.until(() => seenBy(approver) !== "");
  const seenMeanwhile = seenBy(developer);
  await town.settled();

  expect(seenMeanwhile).not.toContain("too slow");
  expect(seenBy(approver)).toContain("alex");
  expect(seenBy(developer)).toContain("This expression is too slow: searching 1000 lines takes more than 3 s.");
  expect(seenBy(developer)).toContain("or read fewer lines.\n[Read the last 20 lines]");
});

test("many crafted lines block nobody either", async () => {
  const crafted = Array.from({ length: 1_000 }, (_, at) => `${at} ${"://a:token: x ".repeat(1_100)}`);
  await using town = await world({ apiFetch: logOf(crafted) });
  const { developer, approver } = town;

  await developer.says("/gantry logs web --size 1000", { channel: "ops" });
  await approver.says("/gantry whoami", { channel: "ops" });
  await town.until(() => seenBy(approver) !== "");
  const seenMeanwhile = town.thread("ops").join("\n");
  await town.settled();

  expect(seenMeanwhile).not.toContain("1,000 lines");
  // A very busy machine exceeds the limit, which gives its own message.
  expect(seenBy(developer)).toMatch(/1,000 lines|Checking 1000 lines for secrets takes more than 3 s/u);
});
