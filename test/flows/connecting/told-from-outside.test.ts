import { expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { found, placesOf } from "../../support/secret-search.ts";
import { says } from "../../support/speak.ts";
import { world, type World } from "../../support/world.ts";

/** Distinct ones, of kinds that the values of variables have. */
const passwords = Array.from(
  { length: 200 },
  (_, at) => `${["wren", "robin", "otter", "lynx"][at % 4]} of house ${at}!`,
);
const seeded = Object.fromEntries(passwords.map((password, at) => [`password ${at}`, password]));
let next = 0;
/** A sentence that repeats some of them. */
const sentence = (count: number): string => {
  const some = Array.from({ length: count }, () => passwords[next++ % passwords.length]);
  return `can't log in with ${some.join(", or with ")}`;
};

const env = passwords.map((value, at) => ({ name: `DB_PASSWORD_${at}`, value }));
const restarts = { count: 5, first_at: "2026-11-26T10:00:00Z", last_at: "2026-11-26T10:01:00Z" };
const web = {
  name: "web",
  uid: "u1",
  target_instance_size: 2,
  status: "Running",
  ready_instances: 0,
  containers: [{ image: "test/web:1", env }],
  message: sentence(8),
  restart_count: 5,
  restarts: { ...restarts, last_reason: sentence(8) },
  last_state: { reason: sentence(4), exit_code: 3 },
  rollout: { state: "stuck", to: "2", from: "1", message: sentence(8) },
  events: Array.from({ length: 12 }, () => ({
    type: "Warning",
    reason: "BackOff",
    message: sentence(5),
    count: 3,
    first_at: restarts.first_at,
    last_at: restarts.last_at,
  })),
  events_not_read: sentence(4),
  refused_operations: [{ operation: "stopService", reason: sentence(4) }],
};
const nightly = {
  metadata: { name: "nightly", uid: "u2" },
  spec: { template: { spec: { containers: [{ image: "test/job:1", env }] } } },
  status: { failed: 1, conditions: [{ type: "Failed", status: "True", reason: sentence(2), message: sentence(8) }] },
  message: sentence(8),
  instance_names: ["nightly-1"],
};
const lines = Array.from({ length: 20 }, () => `Error: ${sentence(4)}`);

/** Every sentence of this API repeats values of variables. */
async function gossip({ url, method }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  if (method !== "GET" && pathname.endsWith("/restart")) return new Response("");
  if (method !== "GET") return Response.json({ message: sentence(4) }, { status: 400 });
  if (pathname.endsWith("/services")) return Response.json({ services: [web] });
  if (pathname.endsWith("/jobs")) return Response.json({ jobs: [nightly] });
  if (pathname.endsWith("/instances/nightly-1/logs")) return Response.json(lines);
  if (pathname.endsWith("/logs")) return Response.json(lines.map((log) => ({ instance_name: "web-1", log })));
  if (pathname.endsWith("/services/web")) return Response.json(web);
  if (pathname.endsWith("/jobs/nightly")) return Response.json(nightly);
  return Response.json({ message: "no such thing" }, { status: 404 });
}

async function story(town: World): Promise<void> {
  const { developer } = town;
  for (const text of [
    "list",
    "list jobs",
    "show web",
    "why web",
    "logs web",
    "show job/nightly",
    "why job/nightly",
    "logs job/nightly",
    "versions web",
    "watch web --after 0s",
    "watch --digest daily 09:00",
    "restart web",
    "scale web 3",
    "delete job/nightly",
    "show no-such-thing",
    "list --region beijing2",
  ]) {
    await says(town, developer, `/gantry ${text}`);
  }
  for (let minute = 0; minute < 20; minute += 1) {
    town.passMinutes(1);
    await town.sweep();
    await town.settled();
  }
  town.passMinutes(24 * 60);
  await town.sweep();
  await town.settled();
  await says(town, developer, "/gantry history --json");
  await developer.opensHome();
  await town.settled();
}

test("no sentence of the workload API brings a secret into Slack, the log, history or the database", async () => {
  await using town = await world({ apiFetch: gossip, policy: openPolicy });

  await story(town);

  const places = placesOf(town);
  const rows = JSON.stringify(await town.store().history({ teamId: "T0PLAYGR", limit: 1_000 }));
  const files = JSON.stringify(town.developer.sees("@gantry"));
  const all = [...places, { name: "history", text: rows }, { name: "files", text: files }];
  expect(found(all, seeded)).toEqual([]);
  // What is left of the sentences got to each of them.
  const kinds = found(places, { said: "log in with" }).map((hit) => /^said in (\w+)/u.exec(hit)?.[1]);
  expect(new Set(kinds)).toEqual(new Set(["Slack", "what"]));
  expect(next).toBeGreaterThan(passwords.length);
});
