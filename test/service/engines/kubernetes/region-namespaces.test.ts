import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type OpenedEngine, Refusal } from "../../../../src/service/engine.ts";
import { makeReconnects } from "../../../../src/service/engines/kubernetes/cache/reflection.ts";
import type { UserNamespaces } from "../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { makeKubeClient } from "../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { checkClusters, foundLines } from "../../../../src/service/engines/kubernetes/config/check-clusters.ts";
import { openKubernetesEngine } from "../../../../src/service/engines/kubernetes/kubernetes-engine.ts";
import { makeNamespaceClaims, openNamespaces } from "../../../../src/service/engines/kubernetes/region-namespaces.ts";
import { testClock } from "../../../support/test-clock.ts";
import { until } from "../../../support/until.ts";
import { asTimePasses } from "../../../support/as-time-passes.ts";
import { openFakeApiServer } from "./support/fake-api-server.ts";
import { type Sent, config } from "./support/known-objects.ts";
import { cronJob, deployment, job, object, ofCronJob, pod, statefulSet } from "./support/sent-objects.ts";

type Metadata = { readonly name: string } & Readonly<Record<string, unknown>>;
type Town = Awaited<ReturnType<typeof openTown>>;

const plurals: Readonly<Record<string, string>> = {
  Deployment: "deployments",
  StatefulSet: "statefulsets",
  Job: "jobs",
  CronJob: "cronjobs",
  Pod: "pods",
  Ingress: "ingresses",
};

type Opening = Partial<typeof config> & {
  /** The namespaces of each user. */
  readonly users?: Readonly<Record<string, UserNamespaces>>;
  /** Namespaces that the cluster has, with their labels. */
  readonly there?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const twoNames: UserNamespaces = { names: ["shop", "payments"] };

/** The engine on a cluster; dana has the namespaces shop and payments. */
async function openTown({ users = { dana: twoNames }, there = { shop: {}, payments: {} }, ...settings }: Opening = {}) {
  const dir = mkdtempSync(join(tmpdir(), "gantry-namespaces-"));
  const clock = testClock();
  const server = await openFakeApiServer({
    namespaces: "objects",
    podLog({ namespace }, response) {
      response.writeHead(200, { "content-type": "text/plain" });
      response.end(`${clock.now().toISOString().replace("Z", "000000Z")} a line of ${namespace}\n`);
    },
  });
  const space = (name: string, labels: Readonly<Record<string, string>>) =>
    server.objects.put("namespaces", "", { metadata: { name, labels } });
  for (const [name, labels] of Object.entries(there)) space(name, labels);
  const path = join(dir, "kubeconfig.json");
  writeFileSync(path, server.kubeConfig().exportConfig());
  const cluster = {
    ...config,
    ...settings,
    kubeconfig: { path },
    namespacesOf: (user: string) => (Object.hasOwn(users, user) ? users[user] : undefined),
  };
  let opened: OpenedEngine | undefined;
  const open = async () => {
    opened ??= await openKubernetesEngine({
      clusters: [cluster],
      users: Object.keys(users),
      clock,
      onEvent: () => undefined,
    });
    return opened;
  };
  const end = async (): Promise<void> => {
    await opened?.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  const put = (namespace: string, ...sent: readonly Sent[]): void => {
    for (const { kind, ...rest } of sent) {
      const { namespace: _, uid: _uid, ...metadata } = (rest as unknown as { metadata: Metadata }).metadata; // each has one
      server.objects.put(plurals[kind] ?? "", namespace, { ...rest, metadata });
    }
  };
  const asked = (path: object, more: object = {}) =>
    ({
      user: { username: "dana" },
      path: { region: "us", ...path },
      query: undefined,
      body: undefined,
      signal: AbortSignal.timeout(20_000),
      ...more,
    }) as never; // the parts that every operation has
  const service = (service_name: string, more: object = {}) => asked({ service_name }, more);
  const ofJob = (job_name: string, more: object = {}) => asked({ job_name }, more);
  const { engine } = await open();
  return {
    [Symbol.asyncDispose]: end,
    server,
    cluster,
    clock,
    /** Lets time pass until it is so. */
    later: (isSo: () => boolean | Promise<boolean>) => asTimePasses(clock, () => until(isSo)),
    put,
    space,
    engine,
    changes: async (username: string, region: string) =>
      (await open()).changes({ username, region, after: undefined, waitMs: 0, signal: AbortSignal.timeout(20_000) }),
    about: async () => (await open()).about(),
    asked,
    service,
    ofJob,
    names: async (): Promise<readonly string[]> =>
      (await engine.listServices(asked({}))).services.map(({ name }) => name).toSorted(),
    writes: () => server.requests.filter(({ verb }) => !["list", "watch", "get"].includes(verb)),
    uidOf: (resource: string, namespace: string, name: string) =>
      server.objects.find(resource, namespace, name)?.metadata.uid,
    allow: (what: string) => server.fail(what, undefined),
    deny(what: string, namespace: string) {
      const [verb = "", resource = ""] = what.split(" ");
      const message = `${resource} is forbidden: User "g" cannot ${verb} resource "${resource}" in API group "" in the namespace "${namespace}"`;
      server.fail(`${what} in ${namespace}`, { status: 403, message });
    },
  };
}

function fillTwo({ put }: Town): void {
  put("shop", deployment("web"), deployment("cart"), statefulSet("cart"));
  put("payments", deployment("web"), deployment("ledger"), statefulSet("web"));
}

describe.concurrent("a region of two namespaces", () => {
  test("lists both; a name that both have shows its namespace, and each is read under its name", async () => {
    await using town = await openTown();
    fillTwo(town);
    const { services } = await town.engine.listServices(town.asked({}));

    expect(services.map(({ name, namespace }) => `${name} in ${namespace}`).toSorted()).toEqual([
      "cart in shop",
      "cart.statefulset in shop",
      "ledger in payments",
      "web.payments in payments",
      "web.shop in shop",
      "web.statefulset in payments",
    ]);
    for (const { name, uid } of services) {
      expect((await town.engine.getService(town.service(name))).uid).toBe(uid);
    }
    expect(services.find(({ name }) => name === "web.payments")?.uid).toBe(
      town.uidOf("deployments", "payments", "web"),
    );
  });

  test("a write goes to the namespace of the name; a name that both have is refused with both, and nothing is sent", async () => {
    await using town = await openTown();
    town.put("shop", deployment("web"));
    expect(await town.names()).toEqual(["web"]);
    town.put("payments", deployment("web"));
    await until(async () => (await town.names()).length === 2);

    const refused = { status: 400, message: "there are several services named web: use web.shop or web.payments" };
    await expect(town.engine.restartService(town.service("web"))).rejects.toMatchObject(refused);
    await expect(town.engine.getService(town.service("web"))).rejects.toMatchObject(refused);
    await expect(town.engine.deleteService(town.service("web"))).rejects.toMatchObject(refused);
    expect(town.writes()).toEqual([]);
    await town.engine.restartService(town.service("web.payments"));
    expect(town.writes().map(({ verb, namespace, name }) => `${verb} ${namespace}/${name}`)).toEqual([
      "patch payments/web",
    ]);

    town.server.objects.remove("deployments", "payments", "web");
    await until(async () => (await town.names()).join() === "web");
    // A request from before must not count as one for a service that is gone.
    await expect(town.engine.restartService(town.service("web.shop"))).rejects.toMatchObject({
      status: 400,
      message: "web.shop is named web now: use web",
    });
    await expect(town.engine.getService(town.service("web.payments"))).rejects.toMatchObject({ status: 404 });
  });

  test("a new workload is made in the first, and takes no name that another one has", async () => {
    await using town = await openTown();
    town.put("payments", deployment("web"), job("report"));
    const containers = [{ name: "app", image: "shop/app:1", resources: { limits: { memory: "512" } } }];
    const body = { target_instance_size: 1, containers, volumes: [], port_mappings: [], binding_domain_name: [] };

    const made = await town.engine.createService(town.service("api", { body }));
    expect(made).toMatchObject({ name: "api", namespace: "shop" });
    await expect(town.engine.createService(town.service("web", { body }))).rejects.toMatchObject({
      status: 409,
      message:
        "a service named web already exists in us, the Deployment of the namespace payments: choose another name",
    });
    await expect(town.engine.createJob(town.ofJob("report", { body: { containers } }))).rejects.toMatchObject({
      status: 409,
      message: "a job named report already exists as a Job of the namespace payments: choose another name",
    });
    const creations = town.writes().filter(({ verb }) => verb === "create");
    expect(creations.map(({ namespace, resource }) => `${resource} in ${namespace}`)).toEqual(["deployments in shop"]);
  });

  test("jobs and CronJobs are told apart too: a run is made beside its CronJob, and a job is deleted where it is", async () => {
    await using town = await openTown({ adopt: { workloads: "all", allow: ["delete"] } });
    town.put("shop", cronJob("nightly"), job("report"), job("once"));
    town.put("payments", cronJob("nightly"), job("report"), job("nightly-1", { metadata: ofCronJob("nightly") }));
    const { jobs } = await town.engine.listJobs(town.asked({}));

    expect(jobs.map(({ metadata }) => `${metadata.name} in ${metadata.namespace}`).toSorted()).toEqual([
      "nightly-1 in payments",
      "nightly.payments in payments",
      "nightly.shop in shop",
      "once in shop",
      "report.payments in payments",
      "report.shop in shop",
    ]);
    expect(jobs.find(({ metadata }) => metadata.name === "report.shop")?.metadata.selfLink).toBe(
      "/apis/batch/v1/namespaces/shop/jobs/report",
    );
    expect(await town.engine.getJob(town.ofJob("nightly.payments"))).toMatchObject({ schedule: { cron: "0 2 * * *" } });
    const several = {
      status: 400,
      message: "there are several jobs named nightly: use nightly.shop or nightly.payments",
    };
    const run = (from: string, name: string) =>
      town.engine.createJob(town.ofJob(name, { body: { from_cron_job: from } }));
    await expect(run("nightly", "nightly-now")).rejects.toMatchObject(several);
    await run("nightly.payments", "nightly-now");
    await town.engine.deleteJob(town.ofJob("report.payments"));
    expect(town.writes().map(({ verb, namespace, name }) => `${verb} ${name ?? ""} in ${namespace}`)).toEqual([
      "create  in payments",
      "delete report in payments",
    ]);
    expect(town.uidOf("jobs", "shop", "report")).toBeDefined();
  });

  test("who waits for changes of an unknown region, or without a namespace there, is refused as who reads it", async () => {
    await using town = await openTown({ users: { dana: twoNames } });

    for (const [username, region, refusal] of [
      ["dana", "moon", new Refusal(400, "unknown region moon: use us")],
      ["eve", "us", new Refusal(403, "eve has no namespace in the region us: ask your Gantry admin for one")],
    ] as const) {
      await expect(town.changes(username, region)).rejects.toEqual(refusal);
      const user = { username };
      await expect(town.engine.listServices(town.asked({ region }, { user }))).rejects.toEqual(refusal);
    }
    expect(await town.changes("dana", "us")).toMatchObject({ changed: ["service", "job"] });
  });

  test("a deletion says whether instances of the job still stop", async () => {
    await using town = await openTown({ adopt: { workloads: "all", allow: ["delete"] } });
    town.put("shop", job("report"), job("done"));
    const ownedBy = (name: string, status: object) => {
      const uid = town.uidOf("jobs", "shop", name);
      const sent = pod(`${name}-a`, { of: { kind: "Job", name }, status: { ...status } });
      const { metadata } = sent as unknown as { metadata: Metadata }; // each has one
      return { ...sent, metadata: { ...metadata, ownerReferences: [{ kind: "Job", name, uid, controller: true }] } };
    };
    town.put("shop", ownedBy("report", {}), ownedBy("done", { phase: "Succeeded" }));
    await town.later(async () => JSON.stringify(await town.engine.getJob(town.ofJob("report"))).includes("report-a"));

    const answer = asTimePasses(town.clock, () => town.engine.deleteJob(town.ofJob("report")));
    expect(await answer).toEqual({
      jobName: "report",
      message: "Its instances are still stopping.",
    });
    expect(await town.engine.deleteJob(town.ofJob("done"))).toEqual({ jobName: "done" });
  });

  test("each name has the lines of its own namespace", async () => {
    await using town = await openTown();
    town.put("shop", deployment("web"), pod("web-5d4f8c7b9-aaaaa", { of: { kind: "Deployment", name: "web" } }));
    town.put("payments", deployment("web"), pod("web-5d4f8c7b9-bbbbb", { of: { kind: "Deployment", name: "web" } }));
    const linesOf = async (name: string) =>
      (await town.engine.getServiceLogs(town.service(name, { query: {} }))).map(({ log }) => log);

    for (const namespace of ["shop", "payments"]) {
      expect(await linesOf(`web.${namespace}`)).toEqual([`a line of ${namespace}`]);
    }
  });

  test("how a job failed is recorded in each, and a size that somebody set after a stop is forgotten in each", async () => {
    await using town = await openTown();
    const stop = { "gantry/size": "7", "gantry/stopped-at": "2026-11-22T12:00:00Z" };
    for (const namespace of ["shop", "payments"]) {
      const labels = { "app.kubernetes.io/managed-by": "gantry", "gantry/job": `of-${namespace}` };
      const podSpec = { restartPolicy: "OnFailure" };
      town.put(namespace, job(`of-${namespace}`, { metadata: { labels }, podSpec }));
      const uid = town.uidOf("jobs", namespace, `of-${namespace}`);
      const ownerReferences = [{ kind: "Job", name: `of-${namespace}`, uid, controller: true }];
      const state = { terminated: { exitCode: 3, reason: "Error", finishedAt: "2026-11-22T12:00:09Z" } };
      town.put(namespace, pod("failed", { of: undefined, metadata: { ownerReferences }, app: { state } }));
      town.put(namespace, deployment("scaled", { metadata: { annotations: stop } }));
    }
    const textOf = (resource: string, namespace: string, name: string) =>
      JSON.stringify(town.server.objects.find(resource, namespace, name)?.metadata);

    for (const namespace of ["shop", "payments"]) {
      await until(() => textOf("jobs", namespace, `of-${namespace}`).includes("gantry/last-end"));
      await until(() => !textOf("deployments", namespace, "scaled").includes("gantry/size"));
      expect(await town.engine.getJob(town.ofJob(`of-${namespace}`))).toMatchObject({
        last_state: { exit_code: 3 },
      });
    }
  });

  test("a domain belongs to one service of both", async () => {
    await using town = await openTown({ domains: { by: "ingress" } });
    const rules = [{ host: "shop.example.com", http: { paths: [] } }];
    town.put("payments", object("Ingress", "theirs", { spec: { rules } }));
    const containers = [
      {
        name: "app",
        image: "shop/app:1",
        resources: { limits: { memory: "512" } },
        ports: [{ port: 80, protocol: "tcp" }],
      },
    ];
    const port_mappings = [{ container_port: 80, protocol: "tcp" }];
    const binding_domain_name = ["shop.example.com"];
    const body = { target_instance_size: 1, containers, volumes: [], port_mappings, binding_domain_name };

    await expect(town.engine.createService(town.service("api", { body }))).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining("the domain shop.example.com belongs to another service") as unknown, // a matcher of vitest
    });

    await town.engine.createService(town.service("web", { body: { ...body, binding_domain_name: ["a.example.com"] } }));
    town.put("payments", deployment("web"));
    await until(async () => (await town.names()).includes("web.shop"));
    const both = ["a.example.com", "b.example.com"];
    await town.engine.updateService(town.service("web.shop", { body: { binding_domain_name: both } }));
    const to = { service: { name: "web", port: { number: 80 } } };
    expect(town.server.objects.find("ingresses", "shop", "web")?.["spec"]).toMatchObject({
      rules: both.map((host) => ({ host, http: { paths: [{ backend: to }] } })),
    });
  });
});

describe.concurrent("a namespace that can't be read", () => {
  test("is said in the list and hides no other; what may be in it doesn't count as gone", async () => {
    await using town = await openTown();
    fillTwo(town);
    town.deny("list pods", "payments");
    const { services, not_listed } = await town.engine.listServices(town.asked({}));

    expect(services.map(({ name }) => name).toSorted()).toEqual(["cart", "cart.statefulset", "web"]);
    expect(not_listed).toEqual([
      "Namespace payments isn't listed: Gantry's account may not list pods there. Give it the Role of docs/kubernetes-role.yaml.",
    ]);
    await expect(town.engine.getService(town.service("ledger"))).rejects.toMatchObject({
      status: 503,
      message: `no service is named ledger: check the name. It may be in a namespace that isn't listed. ${not_listed?.[0]}`,
    });
    await expect(town.engine.deleteService(town.service("ledger"))).rejects.toMatchObject({ status: 503 });
    await town.engine.restartService(town.service("cart"));
    const { regions } = await town.about();
    expect(regions[0]?.problem).toMatch(
      /^Reads of pods in 1 of 2 namespaces have failed since .*may not list pods\.$/u,
    );

    town.allow("list pods in payments");
    await town.later(async () => (await town.names()).includes("ledger"));
  });

  test("is named together with others that lack the same right", async () => {
    await using town = await openTown({ users: { dana: { names: ["shop", "payments", "ops"] } } });
    for (const namespace of ["payments", "ops"]) town.deny("list deployments", namespace);

    expect((await town.engine.listServices(town.asked({}))).not_listed).toEqual([
      "Namespaces payments, ops aren't listed: Gantry's account may not list deployments there. Give it the Role of docs/kubernetes-role.yaml.",
    ]);
  });

  test("is the refusal where no other can be read", async () => {
    await using town = await openTown();
    for (const namespace of twoNames.names) town.deny("list deployments", namespace);

    await expect(town.engine.listServices(town.asked({}))).rejects.toMatchObject({ status: 403 });
  });

  test("takes no new workload when it is the first one", async () => {
    await using town = await openTown();
    town.deny("list pods", "shop");
    const body = { containers: [{ name: "app", image: "shop/app:1", resources: { limits: { memory: "512" } } }] };

    await expect(town.engine.createJob(town.ofJob("report", { body }))).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(
        /^New workloads are made in the namespace shop\. Nothing was changed\./u,
      ) as unknown, // a matcher of vitest
    });
  });

  test("or isn't there is told from one that is empty", async () => {
    await using town = await openTown({ there: { shop: {} } });
    town.put("shop", deployment("web"));
    const { services, not_listed } = await town.engine.listServices(town.asked({}));

    expect(services.map(({ name }) => name)).toEqual(["web"]);
    expect(not_listed).toEqual([
      "Namespace payments isn't listed: the cluster has no such namespace. Create it with kubectl, or change SERVICE_CLUSTERS.",
    ]);
    // Nothing can be there.
    await expect(town.engine.getService(town.service("ledger"))).rejects.toMatchObject({ status: 404 });
  });

  test("a kind that only one may not list is said with it", async () => {
    await using town = await openTown();
    fillTwo(town);
    town.deny("list daemonsets", "payments");

    expect((await town.engine.listServices(town.asked({}))).not_listed).toEqual([
      "Namespace payments: DaemonSets aren't listed: Gantry's account may not list daemonsets. Add the verb to its Role.",
    ]);
  });
});

describe.concurrent("namespaces with labels", () => {
  const labelled: UserNamespaces = { names: ["shop"], labels: "team=shop" };

  test("are followed as they come, change and go", async () => {
    await using town = await openTown({ users: { dana: labelled }, there: { shop: {}, other: { team: "pay" } } });
    town.put("shop", deployment("cart"));
    town.put("payments", deployment("web"));
    town.put("other", deployment("secret"));
    expect(await town.names()).toEqual(["cart"]);

    town.space("payments", { team: "shop" });
    await until(async () => (await town.names()).join() === "cart,web");
    town.space("other", { team: "shop" });
    await until(async () => (await town.names()).join() === "cart,secret,web");
    const watching = town.server.openWatches();
    town.space("other", { team: "pay" });
    town.server.objects.remove("namespaces", "", "payments");
    await until(async () => (await town.names()).join() === "cart");
    await until(() => town.server.openWatches() < watching - 8);
    // It comes back with all that is done in it.
    town.space("payments", { team: "shop" });
    await until(async () => (await town.names()).join() === "cart,web");
  });

  test("that can't be looked for stop the start with the right that is missing, and are said in lists later", async () => {
    await using town = await openTown({ users: { dana: labelled }, there: { shop: {}, payments: { team: "shop" } } });
    town.put("shop", deployment("cart"));
    const message = (verb: string) =>
      `namespaces is forbidden: User "g" cannot ${verb} resource "namespaces" in API group "" at the cluster scope`;
    for (const verb of ["watch", "list"]) {
      town.server.fail(`${verb} namespaces`, { status: 403, message: message(verb) });
      await expect(checkClusters([town.cluster], ["dana"], town.clock)).rejects.toThrow(
        `${message(verb)}. Give Gantry's account a ClusterRole with list and watch for namespaces: see docs/kubernetes.md.`,
      );
    }
    town.server.endWatches();
    // The other kinds come back one after the other.
    const settled = async <T>(ask: () => Promise<T>, isSo: (answer: T | Error) => boolean): Promise<void> =>
      town.later(async () => isSo(await ask().catch((error: Error) => error)));
    const sentence =
      /Namespaces with team=shop aren't listed: Gantry's account in the cluster may not (?:list|watch) namespaces in the cluster\./u;
    await settled(
      () => town.engine.listServices(town.asked({})),
      (answer) =>
        "services" in answer &&
        answer.services.map(({ name }) => name).join() === "cart" &&
        sentence.test(answer.not_listed?.[0] ?? ""),
    );
    await settled(
      () => town.engine.getService(town.service("web")),
      (answer) =>
        answer instanceof Refusal && answer.status === 503 && answer.message.startsWith("no service is named web"),
    );
    const problem = async (): Promise<string> => (await town.about()).regions[0]?.problem ?? "";
    await town.later(async () => (await problem()).startsWith("Reads of namespaces have failed"));
    expect(await problem()).toMatch(/: Gantry's account may not (?:list|watch) namespaces\.$/u);
  });

  test("are counted at the start, one without its Role too, and more than fifty are left out in words", async ({
    onTestFinished,
  }) => {
    const dir = mkdtempSync(join(tmpdir(), "gantry-namespaces-"));
    const clock = testClock();
    const server = await openFakeApiServer({ namespaces: "objects" });
    const api = makeKubeClient({ kubeConfig: server.kubeConfig(), clock });
    onTestFinished(async () => {
      api.close();
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    });
    const path = join(dir, "kubeconfig.json");
    writeFileSync(path, server.kubeConfig().exportConfig());
    for (let at = 0; at < 52; at += 1) {
      server.objects.put("namespaces", "", { metadata: { name: `n${at}`, labels: { team: "shop" } } });
    }
    server.objects.put("namespaces", "", { metadata: { name: "shop" } });
    server.objects.put("deployments", "n0", deployment("web"));
    server.fail("list deployments in n1", { status: 403, message: "deployments is forbidden" });
    const cluster = { ...config, kubeconfig: { path }, namespacesOf: () => labelled };
    const lines = foundLines(await checkClusters([cluster], ["dana"], clock));

    expect(lines).toHaveLength(51);
    expect(
      lines.filter((line) => /namespace (?:shop|n0): \d/u.test(line)).map((line) => line.split(", ").slice(2)),
    ).toEqual([
      ["namespace shop: 0 services", "0 jobs"],
      ["namespace n0: 1 service", "0 jobs"],
    ]);
    expect(lines.find((line) => line.includes(" n1 "))).toMatch(
      /^Region us: couldn't list what runs in the namespace n1 .*Give Gantry's account the Role of docs\/kubernetes-role\.yaml there\. If the API server has just started, wait a minute\. Lists leave its workloads out until then\.$/u,
    );
    const beyond =
      "3 namespaces aren't listed: Gantry reads at most 50 of a user. Change namespaceLabels in SERVICE_CLUSTERS.";
    expect(lines.at(-1)).toBe(`Region us: ${beyond}`);

    // What a list says of them, without the watches on all that they hold.
    const reading = { reconnects: makeReconnects(clock), clock, onEvent: () => undefined };
    const namespaces = openNamespaces({
      ...reading,
      config: cluster,
      users: ["dana"],
      api,
      claims: makeNamespaceClaims(),
    });
    const known = await namespaces.of("dana");
    await namespaces.close();
    expect(known?.names).toHaveLength(50);
    expect(known?.leftOut.map(({ sentences }) => sentences)).toEqual([beyond]);
  });

  test("are never of two users: the start refuses it, and one that comes later is of neither", async () => {
    const users = { dana: { names: ["shop"], labels: "dana" }, alex: { names: ["alex"], labels: "alex" } } as const;
    await using town = await openTown({ users, there: { shop: {}, alex: {}, both: { dana: "1" } } });
    town.put("both", deployment("web"));
    expect(await town.names()).toEqual(["web"]);

    town.space("both", { dana: "1", alex: "1" });
    await until(async () => (await town.names()).length === 0);
    for (const username of ["dana", "alex"]) {
      const { services, not_listed } = await town.engine.listServices(town.asked({}, { user: { username } }));
      expect(services).toEqual([]);
      expect(not_listed).toEqual([
        "Namespace both isn't listed: two users or regions have it, and it can be of one only. Change its labels, or SERVICE_CLUSTERS.",
      ]);
    }
    await expect(checkClusters([town.cluster], ["dana", "alex"], town.clock)).rejects.toThrow(
      "Users of the region us share the same namespace both",
    );
  });
});

test.concurrent("a region of one namespace asks the cluster what it asked before", async () => {
  await using town = await openTown({ users: { dana: { names: ["shop"] } } });
  town.put("shop", deployment("web"));
  await town.names();
  await town.engine.getService(town.service("web"));
  await town.engine.listJobs(town.asked({}));

  const lists = town.server.requests.filter(({ verb }) => verb === "list").map(({ resource }) => resource);
  expect(lists.toSorted()).toEqual([
    "cronjobs",
    "daemonsets",
    "deployments",
    "horizontalpodautoscalers",
    "jobs",
    "pods",
    // Of the service that is read.
    "replicasets",
    "services",
    "statefulsets",
  ]);
  expect(town.server.requests.filter(({ verb }) => verb !== "list" && verb !== "watch")).toEqual([]);
  expect((await town.engine.listServices(town.asked({}))).services[0]).not.toHaveProperty("namespace");
});
