import { describe, expect, test } from "vitest";
import type { Job, Service } from "../../../../../src/api/answers.ts";
import { jobCard } from "../../../../../src/bot/commands/verbs/show/job-card.ts";
import { serviceCard } from "../../../../../src/bot/commands/verbs/show/service-card.ts";
import { lastChange } from "../../../../../src/bot/commands/verbs/show/card-parts.ts";
import type { StoredChange } from "../../../../../src/bot/changes/stored-change.ts";
import { unwatched } from "../../../../../src/bot/changes/health.ts";
import { event, waiting } from "../../support/stored.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { job, now, report, service, web } from "../../../views/support/workloads.ts";
import { memoryText, serviceMemory } from "../../../../../src/bot/views/kit/container-text.ts";

describe("the card of a service", () => {
  test("tells what is known, and of the environment only the names", () => {
    const message = serviceCard({ service: web, region: "beijing1", now });

    expect(message.text).toMatchInlineSnapshot(`"🟢 web · running · 3 instances · 512 MiB each"`);
    expect(drawn(message)).toMatchInlineSnapshot(`
      "🟢 web · running
      service · beijing1 · gantry/hello-web · created 3d ago
      3 instances · 512 MiB each
      http://web-dana.example.org:31080 · http://web-dana.example.org:80 · http://shop.example.org
      Command  --greeting "hello you"
      Environment  LOG_LEVEL, API_TOKEN (values hidden)
      Volumes  data (disk web-data) at /var/lib/data, read-only"
    `);
    expect(JSON.stringify(message)).not.toContain("hunter2");
  });

  test.each([
    ["a limit that is only enforced", { enforced: { memory: "512" } }, "512 MiB (default) each"],
    ["a limit below the least", { limits: { memory: "4" }, enforced: { memory: "6" } }, "4 MiB (6 MiB enforced) each"],
    ["a limit of its own", { limits: { memory: "256" } }, "256 MiB each"],
  ])("tells %s from others", (_, resources, expected) => {
    const [container] = web.containers ?? [];
    const one = service("web", { containers: [{ ...container, resources }] });

    expect(drawn(serviceCard({ service: one, region: "beijing1", now }))).toContain(`3 instances · ${expected}`);
  });

  test("says what really runs of a tag, where the workload API does", () => {
    const digest = `sha256:${"3f2a9c1d5b6e7f80".repeat(4)}`;
    const runs = { name: "web", image: "shop/web:1.5", image_digest: digest };
    const lines = (containers: Service["containers"]) =>
      drawn(serviceCard({ service: service("web", { containers }), region: "beijing1", now }));

    expect(lines([runs])).toContain("beijing1 · shop/web:1.5 · 3f2a9c1d5b6e · created");
    expect(lines([runs, { name: "proxy", image: "envoy:1" }])).toMatch(/shop\/web:1\.5 · 3f2a9c1d5b6e.*\n.*envoy:1/u);
  });

  test("says that none restarted for ten minutes only of one that runs for that long", () => {
    const since = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();
    const lines = (minutes: number, count: number) => {
      const one = service("web", { status: "Running", status_since: since(minutes), restarts: { count } });
      return drawn(serviceCard({ service: one, region: "beijing1", now }));
    };

    expect(lines(11, 0)).toContain("0 restarts in the last 10 min");
    // Its instances replaced others a minute ago, whose restarts nobody counts any more.
    expect(lines(1, 0)).not.toContain("restart");
    expect(lines(1, 1)).toContain("1 restart in the last 10 min");
  });

  test("says why a service that should run does not", () => {
    const reason = "This user may run 50 instances; 48 are in use, and this request needs 5 more.";
    const failed = service("web", { status: "Failed", message: reason });

    const lines = drawn(serviceCard({ service: failed, region: "beijing1", now })).split("\n");
    expect(lines[0]).toBe("🔴 web · failing: This user may run 50 instances");
    expect(lines).toContain(`Reason: ${reason}`);
  });

  test("names sidecars with their memory, and the memory with which instances run now", () => {
    const resources = { limits: { memory: "512" } };
    const sidecars = [{ name: "proxy", image: "envoy:1", resources: { limits: { memory: "128" } } }, { name: "agent" }];
    const shown = (changed: Partial<Service>) =>
      drawn(serviceCard({ service: service("web", { sidecars, ...changed }), region: "beijing1", now })).split("\n");

    expect(
      shown({
        containers: [{ name: "web", image: "shop/web", resources, memory_now: ["768"] }],
        instance_memory: "2048",
      }),
    ).toEqual(
      expect.arrayContaining([
        "3 instances · 512 MiB (now 768 MiB) each · at most 2048 MiB for an instance",
        "Sidecar proxy  envoy:1 · 128 MiB",
        "Sidecar agent  no memory limit",
      ]),
    );
    const two = [
      { name: "web", resources, memory_now: ["512", "768"] },
      { name: "cache", resources },
    ];
    expect(shown({ containers: two })).toEqual(
      expect.arrayContaining(["Container web  512 MiB (now 512 MiB and 768 MiB)", "Container cache  512 MiB"]),
    );
  });

  test("shows the first of 200 domains", () => {
    const domains = Array.from({ length: 200 }, (_, at) => `shop-${at}.example.org`);

    const message = serviceCard({
      service: service("web", { binding_domain_name: domains }),
      region: "beijing1",
      now,
    });

    expect(drawn(message)).toContain("http://shop-7.example.org and 192 more");
  });

  test("says how many instances are ready, and what restarted last and why", () => {
    const flaky = service("flaky", {
      ready_instances: 2,
      status_since: "2026-11-18T12:00:00Z",
      restarts: {
        count: 6,
        first_at: "2026-11-21T11:54:00Z",
        last_at: "2026-11-21T11:58:00Z",
        last_reason: "flaky-1 exited with code 137 (out of memory)",
      },
    });

    const [head, reason, , facts] = drawn(serviceCard({ service: flaky, region: "beijing1", now })).split("\n");

    expect([head, facts, reason]).toEqual([
      "🔴 flaky · runs out of memory: 6 restarts in 4 min",
      "2 of 3 instances · 512 MiB each",
      "Last restart 2m ago: flaky-1 exited with code 137 (out of memory)",
    ]);
  });

  test("of a service in a crash loop says how it ended, how often, and nothing twice", () => {
    const looping = {
      status: "Failed",
      ready_instances: 0,
      message: "flaky-1 exited with code 137 (out of memory)",
      restart_count: 6,
      last_state: { reason: "OOMKilled", exit_code: 137, finished_at: "2026-11-21T11:58:00Z" },
    };
    const restarts = { count: 6, first_at: "2026-11-21T11:54:00Z", last_at: "2026-11-21T11:58:00Z" };
    const card = (more: object) =>
      drawn(serviceCard({ service: service("flaky", more), region: "beijing1", now })).split("\n");

    const [timed, , facts, next = ""] = card({ ...looping, restarts });
    expect([timed, facts]).toEqual([
      "🔴 flaky · runs out of memory: exit 137, 6 restarts in 4 min",
      "0 of 3 instances · 512 MiB each",
    ]);
    expect(next).not.toMatch(/Reason|Last restart/u);
    expect(card(looping)[0]).toBe("🔴 flaky · runs out of memory: exit 137, 6 restarts, the last 2m ago");
  });

  test("of a service that runs again still says how it ended", () => {
    const recovered = service("web", {
      ready_instances: 3,
      restart_count: 1,
      last_state: { reason: "OOMKilled", exit_code: 137, finished_at: "2026-11-21T11:58:00Z" },
    });

    const [head, last, , facts] = drawn(serviceCard({ service: recovered, region: "beijing1", now })).split("\n");

    expect([head, facts, last]).toEqual([
      "🟢 web · running",
      "3 of 3 instances · 512 MiB each · 1 restart",
      "Last restart 2m ago: out of memory, exit 137",
    ]);
  });

  test.each([
    [{ status: "Running", status_since: "2026-11-18T12:00:00Z" }, "🟢 web · running\nFor 3d"],
    [{ status: "Stopped", status_since: "2026-11-21T10:00:00Z" }, "⚪️ web · stopped\nFor 2h"],
    [{ status: "Failed", status_since: "2026-11-21T10:00:00Z" }, "🔴 web · failing\nFor 2h"],
    [{ status: "Running", status_since: "nonsense" }, "🟢 web · running\nservice"],
    [{ status: "Running", ready_instances: 1 }, "🟡 web · running, 1 of 3 ready\nservice"],
  ])("of %j begins with %s", (more, head) => {
    const message = serviceCard({ service: service("web", more), region: "beijing1", now });

    expect(drawn(message)).toMatch(new RegExp(`^${head}`, "u"));
  });

  test("claims nothing about restarts of which the API says nothing", () => {
    expect(drawn(serviceCard({ service: web, region: "beijing1", now }))).not.toContain("restart");
  });

  test("says what waits and what changed last", () => {
    const changes = [{ ...waiting, diff: ["instances 3 → 5"] }];
    const at = new Date("2026-11-21T10:00:00Z");
    const request: StoredChange = {
      ...waiting,
      verb: "scale",
      diff: ["instances 1 → 3"],
      state: "done",
      health: unwatched,
    };
    const done = event(9, { kind: "done", verb: "scale", at, request });
    const last = lastChange([event(10, { kind: "rejected" }), done], {
      kind: "service",
      region: "beijing1",
      name: "web",
    });

    const lines = drawn(serviceCard({ service: web, region: "beijing1", now, waiting: { changes }, last })).split("\n");

    expect(lines.filter((line) => /Waiting|Review|Last change/u.test(line))).toMatchInlineSnapshot(`
      [
        "⏳ Waiting: scale, instances 3 → 5 · requested by Dana Reyes 30m ago · 1 of 2 approvals",
        "Last change: 🟡 Scaled web to 3, health unknown · by Dana Reyes · 2h ago",
      ]
    `);
  });

  test("a request in doubt counts as the last change, one that failed or is for another region doesn't", () => {
    const at = new Date("2026-11-21T10:00:00Z");
    const request: StoredChange = { ...waiting, state: "unknown", settledAt: at };
    const elsewhere = { kind: "service", region: "beijing2", name: "web" } as const; // a literal kind
    const rows = [
      event(11, { kind: "failed" }),
      event(10, { kind: "done", workload: elsewhere }),
      event(9, { kind: "unknown", at, request }),
      event(8, { kind: "done" }),
    ];
    const last = lastChange(rows, { kind: "service", region: "beijing1", name: "web" });

    expect(drawn(serviceCard({ service: web, region: "beijing1", now, last }))).toContain(
      "Last change: ❓ Can't tell whether web was scaled · asked by Dana Reyes · 2h ago",
    );
  });

  test("doesn't name a change as if it held when the workload was changed again", () => {
    const diff = ["image gantry/flaky → gantry/flaky:broken"];
    const health = { kind: "not-yet", outcome: "was changed again meanwhile", line: "", excerpt: [] } as const; // literals
    const request: StoredChange = { ...waiting, verb: "deploy", diff, state: "done", health };
    const last = event(9, { kind: "done", verb: "deploy", at: new Date("2026-11-21T10:00:00Z"), request });

    expect(drawn(serviceCard({ service: web, region: "beijing1", now, last }))).toContain(
      "Last change: ⚪️ Deployed :broken to web, but it was changed again meanwhile · by Dana Reyes · 2h ago",
    );
  });

  test("says what waits also of a verb that measures nothing", () => {
    const restart = { ...waiting, verb: "restart", op: "restartService", diff: [] } as const; // a literal operation
    const deletion = { ...restart, verb: "delete", op: "deleteService", diff: ["permanently deletes web"] } as const; // as above
    const told = (change: StoredChange): string =>
      drawn(serviceCard({ service: web, region: "beijing1", now, waiting: { changes: [change] } }));

    expect(told(restart)).toContain("⏳ Waiting: restart · requested by Dana Reyes 30m ago");
    expect(told(deletion)).toContain("⏳ Waiting: delete · requested by Dana Reyes 30m ago");
  });

  test("has a line for each of several containers", () => {
    const [container] = web.containers ?? [];
    const containers = ["web", "proxy", "cache", "agent", "five", "six"].map((name) => ({
      ...container,
      name,
      env: [],
    }));

    const message = serviceCard({ service: service("web", { containers }), region: "beijing1", now });

    expect(drawn(message)).toMatchInlineSnapshot(`
      "🟢 web · running
      service · beijing1 · 6 containers · created 3d ago
      3 instances
      http://web-dana.example.org:31080 · http://web-dana.example.org:80 · http://shop.example.org
      Container web  gantry/hello-web · 512 MiB · --greeting "hello you"
      Container proxy  gantry/hello-web · 512 MiB · --greeting "hello you"
      Container cache  gantry/hello-web · 512 MiB · --greeting "hello you"
      And  3 more containers
      Volumes  data (disk web-data) at /var/lib/data, read-only"
    `);
  });

  test("says little about a service of which only the name is known", () => {
    const message = serviceCard({ service: { name: "web" }, region: "beijing1", now });

    expect(drawn(message)).toMatchInlineSnapshot(`
      "🟡 web · status unknown
      service · beijing1
      Not reported by the workload API: instances, image, memory, command, environment, ports, volumes, domains"
    `);
  });
});

describe("the card of a job", () => {
  test("of a job that is complete", () => {
    const message = jobCard({ job: report, region: "us", now });

    expect(message.text).toMatchInlineSnapshot(`"⚪️ report · complete · 9h ago · took 11 s · 512 MiB"`);
    expect(drawn(message)).toMatchInlineSnapshot(`
      "⚪️ report · complete
      Complete 9h ago
      job · us · gantry/batch · created 10h ago
      took 11 s · 512 MiB
      Command  10 --exit 0
      CPU  500m
      Volumes  data at /data, read-only"
    `);
  });

  test("says why it failed, and names its instances", () => {
    const failed: Job = {
      ...job("report", {
        failed: 6,
        conditions: [
          { type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "exit code 2 after 6 attempts" },
        ],
      }),
      instance_names: ["report-a", "report-b"],
    };

    const message = jobCard({ job: failed, region: "us", now });

    expect(drawn(message)).toMatchInlineSnapshot(`
      "🔴 report · failed: exit code 2 after 6 attempts
      job · us · gantry/batch · created 10h ago
      512 MiB
      Command  10 --exit 0
      CPU  500m
      Volumes  data at /data, read-only
      Instances  report-a, report-b"
    `);
  });
});

test.each([
  [512, "512 MiB"],
  ["512", "512 MiB"],
  ["512Mi", "512 MiB"],
  ["1.5Gi", "1.5 GiB"],
  ["lots", "lots"],
  ["", undefined],
  [undefined, undefined],
])("memory %j is shown as %j", (memory, expected) => {
  expect(memoryText(memory)).toBe(expected);
});

test("the memory of several containers is told one by one", () => {
  const containers = [{ resources: { limits: { memory: 512 } } }, {}, { resources: { limits: { memory: "256" } } }];

  expect(serviceMemory(service("web", { containers }))).toBe("512 MiB + memory not reported + 256 MiB");
  expect(serviceMemory(service("web", { containers: [{}] }))).toBe("–");
});
