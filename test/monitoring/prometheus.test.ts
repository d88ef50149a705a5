import { stillClock } from "../support/test-clock.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readConfig } from "../../src/bot/compose/config.ts";
import { createMetrics } from "../../src/bot/compose/observing/metrics.ts";
import { openObserver } from "../../src/bot/compose/observing/observer.ts";
import { machineClock } from "../../src/platform/clock.ts";
import { createLanes, drainLimits } from "../../src/bot/workflow/inbox/lanes.ts";
import * as registry from "../../src/platform/observing/registry.ts";
import { createServiceMetrics } from "../../src/service/observing/open-service-observer.ts";
import { approvalTown } from "../support/approval-town.ts";
import { noPrometheus, promtool, startPrometheus, type TestPrometheus } from "../support/prometheus.ts";
import { clicks, says } from "../support/speak.ts";
import { until } from "../support/until.ts";
import type { World } from "../support/world.ts";

const root = join(import.meta.dirname, "../..");
const rulesFile = join(root, "docs/monitoring/alerts.yaml");
const page = readFileSync(join(root, "docs/monitoring.md"), "utf8");

const Rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});
const alerts = Rules.parse(parse(readFileSync(rulesFile, "utf8"))).groups.flatMap(({ rules }) => rules);

const Dashboard = z.object({
  annotations: z.object({ list: z.array(z.object({ expr: z.string() })) }),
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) })),
});
const dashboard = Dashboard.parse(JSON.parse(readFileSync(join(root, "docs/monitoring/dashboard.json"), "utf8")));
/** As Grafana sends them. */
const queries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ title, query: filled(expr) })),
);

function filled(expr: string): string {
  return expr.replaceAll("$__rate_interval", "1m").replaceAll("$job", "gantry");
}

/** Our own metrics that a text names, as families. */
function namedIn(text: string): readonly string[] {
  const names = text.match(/\bgantry_[a-z_]+/gu) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(?:bucket|total)$/u, "")))].toSorted();
}

test("each alert says in the documentation what to do", () => {
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.map(({ alert }) => alert).filter((alert) => !page.includes(`\`${alert}\``))).toEqual([]);
});

test("calls to Slack that an alert counts are served as 0 before the first one", async () => {
  const counted = alerts.flatMap(({ expr }) => [...expr.matchAll(/slack_calls_total\{status=~?"([a-z|]+)"/gu)]);
  const statuses = new Set(counted.flatMap(([, either = ""]) => either.split("|")));
  const served = await createMetrics(machineClock).text();

  expect(statuses).toEqual(new Set(["token", "scope", "limited"]));
  for (const status of statuses) {
    expect(served).toContain(`gantry_slack_calls_total{method="chat.postMessage",status="${status}"} 0\n`);
  }
});

test("each metric is documented, and what the dashboard and the alerts ask for exists", async () => {
  const metrics = createMetrics(machineClock);
  const waiting = { count: 1, oldestMs: 1, watchLagMs: 1 };
  metrics.show({
    lanes: idleLanes,
    links: () => [],
    waiting: () => Promise.resolve(waiting),
    trouble: () => Promise.resolve(undefined),
  });
  const served = `${await metrics.text()}\n${await createServiceMetrics(registry).text()}`;
  const names = [...served.matchAll(/^# TYPE (gantry_\w+)/gmu)].map(([, name = ""]) => name);
  const families = [...new Set(names)].toSorted();
  const asked = namedIn([...queries.map(({ query }) => query), ...alerts.map(({ expr }) => expr)].join("\n"));

  expect(namedIn(page)).toEqual(families);
  expect(asked.filter((name) => !families.includes(name))).toEqual([]);
});

test("each counter in an increase() exists from the start: else its first event would be no increase", async () => {
  const text = await createMetrics(machineClock).text();
  const risen = alerts.flatMap(({ expr }) => [
    ...expr.matchAll(/increase\((gantry_\w+)(?:\{(\w+)=~?"([^"]+)"\})?\[/gu),
  ]);
  const wanted = risen.flatMap(([, name = "", label, values = ""]) =>
    values.split("|").map((value) => ({ name, sample: label === undefined ? "" : `${label}="${value}"` })),
  );
  const absent = wanted.filter(
    ({ name, sample }) =>
      !text.split("\n").some((line) => line.startsWith(name) && line.includes(sample) && line.endsWith(" 0")),
  );

  expect(wanted.map(({ name }) => name)).toContain("gantry_slack_calls_total");
  expect(absent).toEqual([]);
});

const idleLanes = createLanes({ drain: drainLimits, onError: () => undefined, clock: stillClock() }).status;

/** Something of everything that is measured. */
async function livelyTown(): Promise<{
  readonly town: World;
  readonly port: number;
  readonly close: () => Promise<void>;
}> {
  const config = readConfig({ GANTRY_METRICS_PORT: "0" });
  const observing = await openObserver(config, { replicaId: "a", log: pino({ level: "silent" }), clock: machineClock });
  const town = await approvalTown({ observer: observing.observer, transport: "socket" });
  const close = async (): Promise<void> => {
    await town.close();
    await observing.close();
  };
  return { town, port: observing.port ?? 0, close };
}

async function live({ town }: { readonly town: World }): Promise<void> {
  const { developer, approver } = town;
  for (const words of ["list", "logs web", "scale web 3", "scale nosuch 1", "watch web"]) {
    await says(town, developer, `/gantry ${words}`);
  }
  await town.sweep();
  await says(town, developer, "/gantry stop web");
  await says(town, developer, "/gantry restart web");
  await clicks(town, approver, "Approve");
}

describe(`on a real Prometheus${noPrometheus === undefined ? "" : ` (${noPrometheus})`}`, () => {
  test.skipIf(noPrometheus !== undefined)(
    "promtool accepts the alert rules, and they fire when they should",
    async () => {
      expect(await promtool("check", "rules", rulesFile)).toContain(`${alerts.length} rules found`);
      expect(await promtool("test", "rules", join(import.meta.dirname, "alerts.test.yaml"))).toContain("SUCCESS");
    },
  );

  test.skipIf(noPrometheus !== undefined)(
    "each query of the dashboard finds data, and no alert fires on a bot that is well",
    async () => {
      const lively = await livelyTown();
      try {
        await using prometheus = await startPrometheus(lively.port, rulesFile);
        await until(async () => (await prometheus.target())?.health === "up");
        await live(lively);
        await until(() => isFound(prometheus, "gantry_change_run_seconds_count"));
        // A rate needs something that rises between two scrapes.
        await live(lively);
        await until(() => isFound(prometheus, "rate(gantry_interactions_total[1m]) > 0"));
        const missing: string[] = [];
        for (const { title, query } of queries) {
          await until(() => isFound(prometheus, query)).catch(() => missing.push(`${title}: ${query}`));
        }
        for (const { expr } of alerts) await prometheus.count(expr);
        for (const { expr } of dashboard.annotations.list) await prometheus.count(filled(expr));

        expect(missing).toEqual([]);
        expect(await prometheus.target()).toEqual({ health: "up", lastError: "" });
        expect(await prometheus.count('ALERTS{alertstate="firing"}')).toBe(0);
      } finally {
        await lively.close();
      }
    },
  );
});

async function isFound(prometheus: TestPrometheus, query: string): Promise<boolean> {
  return (await prometheus.count(query)) > 0;
}
