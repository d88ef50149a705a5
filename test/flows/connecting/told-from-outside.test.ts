import { hash } from "node:crypto";
import { pino } from "pino";
import { expect, test } from "vitest";
import { warningHeaders } from "../../../src/api/extension-headers.ts";
import type { AuditReceiver } from "../../../src/bot/compose/audit/receivers.ts";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { createMetrics } from "../../../src/bot/compose/observing/metrics.ts";
import { createObserver } from "../../../src/bot/compose/observing/observer.ts";
import { machineClock } from "../../../src/platform/clock.ts";
import { openTracing } from "../../../src/platform/observing/tracing.ts";
import { everyCode } from "../../support/full-run.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";
import { found, placesOf } from "../../support/secret-search.ts";
import { clicks, says } from "../../support/speak.ts";
import { world, type World } from "../../support/world.ts";

/** The same characters for the same secret, each time. */
function noise(at: number, length: number, encoding: "hex" | "base64url" = "hex"): string {
  const text = [1, 2, 3].map((part) => hash("sha512", `${at} ${part}`, encoding)).join("");
  return text.replaceAll(/[-_]/gu, "7").slice(0, length);
}

const animal = (at: number): string => ["wren", "robin", "otter", "lynx"][at % 4] ?? "";

/** A secret, and how somebody says it. With `isKnown`, nothing but the values of variables gives it away. */
type Seeded = { readonly secret: string; readonly said: string; readonly isKnown?: true };

const shapes: readonly ((at: number) => Seeded)[] = [
  (at) => ({ secret: `${animal(at)} of house ${at}!`, said: `${animal(at)} of house ${at}!`, isKnown: true }),
  (at) => ({ secret: `hunter-${animal(at)}-${at}`, said: `password=hunter-${animal(at)}-${at}` }),
  (at) => ({ secret: `trout-${at}-${animal(at)}`, said: `{"user":"app","db_password":"trout-${at}-${animal(at)}"}` }),
  (at) => ({ secret: `salmon-${at}x`, said: `postgres://shop:salmon-${at}x@db.internal:5432/shop` }),
  (at) => ({ secret: noise(at, 30), said: `Authorization: Bearer ${noise(at, 30)}` }),
  (at) => ({ secret: `ghp_${noise(at, 36, "base64url")}`, said: `pushed with ghp_${noise(at, 36, "base64url")}` }),
  (at) => ({
    secret: `${animal(at)}&${at} at sea`,
    said: `?q=${encodeURIComponent(`${animal(at)}&${at} at sea`)}`,
    isKnown: true,
  }),
  (at) => ({ secret: noise(at, 64, "base64url"), said: key(at) }),
  (at) => ({
    secret: `eyJhbGciOiJI.${noise(at, 40)}.${noise(at + 1_000, 43)}`,
    said: `cookie eyJhbGciOiJI.${noise(at, 40)}.${noise(at + 1_000, 43)}`,
  }),
  (at) => ({ secret: `second line ${at} of ${animal(at)}`, said: `second line ${at} of ${animal(at)}`, isKnown: true }),
];

function key(at: number): string {
  return `-----BEGIN PRIVATE KEY-----\n${noise(at, 64, "base64url")}\n-----END PRIVATE KEY-----`;
}

const all = Array.from({ length: everyCode ? 200 : 60 }, (_, at): Seeded => {
  const shape = shapes[at % shapes.length];
  if (shape === undefined) throw new Error("there are shapes");
  return shape(at);
});
const seeded = Object.fromEntries(all.map(({ secret }, at) => [`secret ${at}`, secret]));

let next = 0;
/** A sentence that repeats one of each shape. Over all of them, each secret is said several times. */
const sentence = (): string =>
  `can't log in with ${shapes.map(() => all[next++ % all.length]?.said).join(" , or with ")}`;

const strangers = all.filter(({ isKnown }) => !isKnown);
/** About no workload whose variables are known. */
const aside = (): string =>
  `can't log in with ${[1, 2].map(() => strangers[next++ % strangers.length]?.said).join(" or ")}`;

/** What nobody hides, although it is the value of a variable. */
const harmless = [
  { name: "APP", value: "checkout" },
  { name: "REGION", value: "eu-west-1" },
];
const READY = "checkout ready in eu-west-1";
const env = [
  ...harmless,
  ...all.flatMap(({ secret, isKnown }, at) => {
    // A file of several lines, of which programs log one.
    const value = secret.startsWith("second") ? `first line of ${at}\n${secret}\nthe last line of ${at}` : secret;
    return isKnown ? [{ name: `DB_PASSWORD_${at}`, value }] : [];
  }),
];

const at = "2026-11-26T10:00:00Z";
const unwell = () => ({
  message: sentence(),
  restart_count: 5,
  restarts: { count: 5, first_at: at, last_at: "2026-11-26T10:01:00Z", last_reason: sentence() },
  last_state: { reason: sentence(), exit_code: 3 },
  events: Array.from({ length: 2 }, () => ({
    type: "Warning",
    reason: sentence(),
    message: sentence(),
    object: "web-1",
    count: 3,
    first_at: at,
    last_at: at,
  })),
  events_not_read: sentence(),
});
const containers = [{ name: "app", image: "test/web:1", env }];
const web = {
  name: "web",
  uid: "u1",
  target_instance_size: 2,
  status: "Running",
  ready_instances: 0,
  containers,
  ...unwell(),
  refused_operations: [{ operation: "stopService", reason: sentence() }],
};
/** Its variables are only told of it alone. What it says of itself in a list, Gantry can't compare with them. */
const shy = { name: "shy", uid: "u3", target_instance_size: 1, status: "Failed", ready_instances: 0, restart_count: 9 };
/** It deploys, and the new version doesn't get ready. */
const shop = { name: "shop", uid: "u4", target_instance_size: 1, status: "Running", ready_instances: 1 };
const stuck = () => ({
  ...shop,
  status: "Updating",
  containers: [{ ...containers[0], image: "test/web:2" }],
  revision: 2,
  rollout: { state: "stuck", from: "1", to: "2", ready: 0, target: 1, message: sentence() },
  message: sentence(),
});
const jobOf = (name: string) => ({
  metadata: { name, uid: `of ${name}` },
  spec: { template: { spec: { containers } } },
  status: { failed: 1, conditions: [{ type: "Failed", status: "True", reason: sentence(), message: sentence() }] },
  ...unwell(),
  instance_names: [`${name}-1`],
});
const lines = (): string[] => [READY, ...Array.from({ length: 4 }, () => `Error: ${sentence()}`), READY];

/** Every sentence of this API repeats secrets. */
function gossip() {
  let isDeployed = false;
  const services = () => [web, shy, isDeployed ? stuck() : { ...shop, containers, revision: 1 }];
  const jobs = new Map([["nightly", jobOf("nightly")]]);
  const read = (pathname: string): unknown => {
    const [, kind = "", name = "", part] = /\/(services|jobs)(?:\/([^/]+)(\/.*)?)?$/u.exec(pathname) ?? [];
    if (part !== undefined)
      return kind === "jobs" ? lines() : lines().map((log) => ({ instance_name: `${name}-1`, log }));
    if (name === "") return kind === "jobs" ? { jobs: [...jobs.values()] } : { services: services() };
    if (kind === "jobs") return jobs.get(name);
    return name === "shy" ? { ...shy, containers, ...unwell() } : services().find((each) => each.name === name);
  };
  return async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/healthz")) {
      const region = { name: "beijing1", version: "1.34", problem: aside(), cannot: [] };
      return Response.json({
        engine: { title: "Kubernetes", regions: [region], updates: ["image", "env", "revision"] },
      });
    }
    const answer = read(pathname);
    if (request.method === "GET") {
      return answer === undefined ? Response.json({ message: aside() }, { status: 404 }) : Response.json(answer);
    }
    const [, name = ""] = /\/(?:jobs|services)\/([^/]+)/u.exec(pathname) ?? [];
    const headers = warningHeaders([pathname.includes("/jobs/") ? aside() : sentence()]);
    if (pathname.endsWith("/restart")) return new Response("", { headers });
    if (request.method === "POST" && pathname.includes("/jobs/")) {
      jobs.set(name, jobOf(name));
      return Response.json({ job: jobs.get(name) }, { headers });
    }
    if (name === "shop") {
      isDeployed = true;
      return new Response("", { headers });
    }
    return Response.json({ message: name === "web" ? sentence() : aside() }, { status: 400 });
  };
}

/** The first minutes: everything that people ask, then an hour in which things fail, and a new process that knows nothing yet. */
async function story(town: World): Promise<void> {
  const { developer } = town;
  const say = async (...asked: readonly string[]): Promise<void> => {
    for (const text of asked) await says(town, developer, `/gantry ${text}`);
  };
  const pass = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      town.passMinutes(1);
      await town.sweep();
      await town.settled();
    }
  };
  // Before anybody reads it, its values are only known to whoever reads it to show its log.
  await say("logs web", "logs shy --file");
  await town.restartBot();
  await say("watch all --after 0s", "watch --digest daily 09:00");
  await pass(3);
  await town.restartBot();
  await say("list", "list jobs", "show web", "show shy", "show job/nightly", "status", "whoami", "versions web");
  await say(
    "why web",
    "why shy",
    "why job/nightly",
    "logs job/nightly",
    "logs web --grep Error",
    "logs web --raw --private",
  );
  await say(
    "restart web",
    "scale web 3",
    "stop web",
    "delete job/nightly",
    "show no-such-thing",
    "list --region beijing2",
  );
  await say(
    `env web --set DB_PASSWORD=${all[0]?.secret.replaceAll(" ", "-")}`,
    "deploy shop test/web:2 --on-failure keep",
  );
  await say(
    "create job doomed --image test/failing",
    `create service own --image test/web --env A_TOKEN=${noise(7_000, 20)}`,
  );
  await say("logs web --follow");
  await pass(5);
  await clicks(town, developer, "Stop following").catch(() => undefined);
  town.passMinutes(24 * 60);
  await town.sweep();
  await town.settled();
  await say("history", "history shop", "history --json", "pending", "watches", "unfollow");
  await developer.opensHome();
  await town.settled();
}

test("secrets in all that the workload API and its workloads say are in no message, log, history, export, trace, metric or database", async () => {
  await using collector = await otlpReceiver();
  const exported: string[] = [];
  const receiver: AuditReceiver = { name: "webhook", send: async (batch) => void exported.push(...batch.lines) };
  const metrics = createMetrics(machineClock);
  const { tracing: to } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  if (to === undefined) throw new Error("tracing is off");
  const tracing = openTracing(to, { replicaId: "a", log: pino({ level: "silent" }), clock: machineClock });
  const observer = createObserver({ metrics, tracing, clock: machineClock });
  await using town = await world({
    apiFetch: gossip(),
    policy: openPolicy,
    observer: { ...observer, metrics: { ...metrics, show: () => {} } },
    auditReceivers: [receiver],
  });

  await story(town);
  await tracing.close();

  const told = JSON.stringify(town.developer.sees("@gantry"));
  const rows = JSON.stringify(await town.store().history({ teamId: "T0PLAYGR", limit: 1_000 }));
  const outside = {
    files: told,
    history: rows,
    exported: exported.join("\n"),
    traces: collector.raw(),
    metrics: await metrics.text(),
  };
  const places = [...placesOf(town), ...Object.entries(outside).map(([name, text]) => ({ name, text }))];
  expect(found(places, seeded)).toEqual([]);
  // What is left of the sentences got to each of them (the database has what the engine says of itself in the clear), and what hides
  // nothing is readable.
  const kinds = found(places, { said: "log in with" }).map((hit) => /^said in (\w+)/u.exec(hit)?.[1]);
  expect(new Set(kinds)).toEqual(new Set(["Slack", "what", "column", "file", "files", "history", "exported"]));
  expect(found(places, { ready: READY }).length).toBeGreaterThan(3);
  expect(next).toBeGreaterThan(5 * all.length);
});
