import { expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { says } from "../../support/speak.ts";
import { world } from "../../support/world.ts";

test("our own workload API says when something changes, so a crash loop is told without waiting for the next look", async () => {
  await using town = await world({ policy: openPolicy });
  const seen = (): string => town.developer.sees("ops").find(({ text }) => text.startsWith("🔴 flaky"))?.text ?? "";
  await says(town, town.developer, "/gantry watch all --after 0s");
  await town.sweep();

  await town.api.send({
    op: "createService",
    path: { region: "beijing1", service_name: "flaky" },
    query: undefined,
    body: {
      target_instance_size: 1,
      containers: [{ image: "gantry/flaky", command: ["--after", "20"], resources: { limits: { memory: "256" } } }],
    },
  });
  await town.until(async () => {
    await town.sweep();
    return seen() !== "";
  });
  expect(seen()).toMatch(/^🔴 flaky keeps crashing/u);
  expect(seen()).toMatch(/exit 1/u);
});

test("where the calls of a day are limited, nothing is waited for: each wait is a call, and what flaps would make more", async () => {
  const asked: string[] = [];
  await using town = await world({
    policy: openPolicy,
    settings: { watchCallsPerDay: 8_640 },
    via(request, answer) {
      asked.push(new URL(request.url).pathname);
      return answer(request);
    },
  });
  await says(town, town.developer, "/gantry watch all");
  for (let rounds = 0; rounds < 3; rounds += 1) {
    town.passMinutes(1);
    await town.sweep();
  }

  expect(asked.filter((path) => path.endsWith("/services")).length).toBeGreaterThan(1);
  expect(asked.filter((path) => path.endsWith("/events"))).toEqual([]);
});
