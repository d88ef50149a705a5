import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { health } from "../../../../src/service/api/listen.ts";
import { openKubernetesEngine } from "../../../../src/service/engines/kubernetes/kubernetes-engine.ts";
import { testClock } from "../../../support/test-clock.ts";
import { until } from "../../../support/until.ts";
import { asTimePasses } from "../../../support/as-time-passes.ts";
import { openFakeApiServer } from "./support/fake-api-server.ts";
import { config } from "./support/known-objects.ts";

const names = ["us", "beijing1"] as const;

/** The engine on two clusters whose services were listed once. */
async function openTwoClusters() {
  const clock = testClock();
  const dir = mkdtempSync(join(tmpdir(), "gantry-health-"));
  const servers = { us: await openFakeApiServer(), beijing1: await openFakeApiServer() };
  const clusters = names.map((region) => {
    const path = join(dir, `${region}.json`);
    writeFileSync(path, servers[region].kubeConfig().exportConfig());
    return { ...config, region, kubeconfig: { path } };
  });
  const opened = await openKubernetesEngine({
    clusters,
    users: ["dana"],
    clock,
    onEvent: () => undefined,
  });
  const lists = (region: string) =>
    opened.engine.listServices({
      path: { region },
      user: { username: "dana" },
      signal: AbortSignal.timeout(20_000),
    } as Parameters<typeof opened.engine.listServices>[0]); // a list has no body and no query
  await Promise.all(names.map(lists));
  return {
    servers,
    /** Lets time pass until it is so. */
    later: (isSo: () => Promise<boolean>) => asTimePasses(clock, () => until(isSo)),
    lists,
    page: () => pageOf(health(opened)),
    async [Symbol.asyncDispose]() {
      await opened.close();
      await Promise.all(names.map((name) => servers[name].stop()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

type Page = { readonly status: number; readonly message?: string; readonly problems: readonly (string | undefined)[] };

async function pageOf(response: Response): Promise<Page> {
  const body = (await response.json()) as { message?: string; engine: { regions: { problem?: string }[] } }; // as documented
  return { ...body, status: response.status, problems: body.engine.regions.map(({ problem }) => problem) };
}

const AWAY =
  /^Reads of the cluster have failed since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: its API server refuses connections\.$/u;

test.concurrent("the health page tells which cluster is away, since when and why; it isn't ready when none is left, and is again later", async () => {
  await using town = await openTwoClusters();
  const { servers, page, lists } = town;
  await town.later(async () => (await page()).problems.every((problem) => problem === undefined));
  expect(await page()).toMatchObject({ status: 200 });

  await servers.beijing1.stop();
  await town.later(async () => AWAY.test((await page()).problems[1] ?? ""));
  expect(await page()).toMatchObject({ status: 200, problems: [undefined, expect.stringMatching(AWAY) as unknown] }); // a matcher of vitest
  await expect(lists("us")).resolves.toMatchObject({ services: [] });

  await servers.us.stop();
  await town.later(async () => (await page()).status === 503);
  const { message } = await page();
  expect(message).toMatch(/^No cluster can be read\. us: Reads of the cluster .* beijing1: Reads of the cluster /u);
  expect(message).not.toContain("127.0.0.1");

  await servers.us.start();
  await town.later(async () => (await page()).problems[0] === undefined);
  expect(await page()).toMatchObject({ status: 200, problems: [undefined, expect.stringMatching(AWAY) as unknown] }); // a matcher of vitest
});

test.concurrent("a kind that may not be read is named, and the cluster isn't away", async () => {
  await using town = await openTwoClusters();
  const { servers, page, lists } = town;
  const message =
    'pods is forbidden: User "gantry" cannot list resource "pods" in API group "" in the namespace "team"';

  servers.us.fail("list pods", { status: 403, message });
  servers.us.fail("watch pods", { status: 403, message });
  servers.us.endWatches();
  // All watches ended: the other kinds have to be read again first.
  const sentence = /^Reads of pods have failed since \S+: Gantry's account may not list pods\.$/u;
  await town.later(async () => sentence.test((await page()).problems[0] ?? ""));

  expect(await page()).toMatchObject({ status: 200 });
  await expect(lists("us")).rejects.toMatchObject({ status: 403 });
});
