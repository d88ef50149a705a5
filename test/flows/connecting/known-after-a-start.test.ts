import { expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { found, placesOf } from "../../support/secret-search.ts";
import { says } from "../../support/speak.ts";
import { world } from "../../support/world.ts";

test("right after a start, a log is shown, and told of what fails, without its passwords, also where lists don't tell its variables", async () => {
  const secret = "the wren of the house!";
  const listed = { name: "shy", uid: "u1", target_instance_size: 1, status: "Running", ready_instances: 1 };
  const detail = () => ({ ...state, containers: [{ env: [{ name: "DB_PASSWORD", value: secret }] }] });
  let state = listed;
  const apiFetch = async ({ url }: Request): Promise<Response> => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/logs")) return Response.json([{ instance_name: "shy-1", log: `no entry with ${secret}` }]);
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    if (pathname.includes("/jobs/")) return Response.json({}, { status: 404 });
    return Response.json(pathname.endsWith("/services") ? { services: [state] } : detail());
  };
  await using town = await world({ apiFetch, policy: openPolicy });
  await says(town, town.developer, "/gantry logs shy");
  const shown = JSON.stringify(town.developer.sees("ops"));
  await says(town, town.developer, "/gantry watch shy --after 0s");
  await town.sweep();
  await town.restartBot();
  state = { ...listed, status: "Failed", ready_instances: 0 };
  for (let minute = 0; minute < 3; minute += 1) {
    town.passMinutes(1);
    await town.sweep();
    await town.settled();
  }

  expect(shown).toContain("no entry with [redacted]");
  expect(JSON.stringify(town.developer.sees("ops"))).toContain("Last lines of shy");
  expect(found(placesOf(town), { secret })).toEqual([]);
});
