import { expect, test } from "vitest";
import type { PlainService } from "../../../../support/as-read.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { job, service } from "../../../views/support/workloads.ts";
import { answerTo, refuse, scripted } from "../../support/script.ts";
import { event as stored, waiting } from "../../support/stored.ts";

// Now is 12:00.
const crashing: Partial<PlainService> = {
  target_instance_size: 1,
  ready_instances: 0,
  restarts: {
    count: 18,
    first_at: "2026-11-21T11:54:10Z",
    last_at: "2026-11-21T11:59:50Z",
    last_reason: "exit code 1",
  },
  last_state: { exit_code: 1 },
};

/** What Node.js prints when an error ends a program. */
const crash = [
  "/app/main.js:3",
  '  throw new Error("lost the connection to the database");',
  "  ^",
  "",
  "Error: lost the connection to the database",
  "    at connect (/app/main.js:3:9)",
  "    at start (/app/main.js:9:3)",
  "    at main (/app/main.js:12:1)",
  "    at Module._compile (node:internal/modules:1:1)",
  "    at Object..js (node:internal/modules:2:1)",
  "    at Module.load (node:internal/modules:3:1)",
  "    at node:internal/main:4:1",
];

/** Logged so many seconds before twelve. */
function timed(secondsAgo: number, text: string): string {
  return `${new Date(Date.parse("2026-11-21T12:00:00Z") - secondsAgo * 1_000).toISOString()} ${text}`;
}

test("why begins with a verdict, and the same crash is told once with its number and the head of its stack", async () => {
  const logLines = [
    // The rest of a stack whose beginning is on an older page.
    "    at lost (/app/main.js:1:1)",
    ...Array.from({ length: 18 }, () => [
      "started, all is well so far",
      "pool: 20 connections refused",
      ...crash,
    ]).flat(),
  ];

  const message = await answerTo("why service/flaky", { services: [service("flaky", crashing)], logLines });

  expect(drawn(message)).toMatchInlineSnapshot(`
    "🔴 flaky keeps crashing, every 20 s: lost the connection to the database
    Exit 1, 18 restarts in 6 min
    Last restart 10s ago: exit code 1
    service · beijing1 · gantry/hello-web · created 3d ago
    0 of 1 instance · 512 MiB each
    http://web-dana.example.org:31080 · http://web-dana.example.org:80 · http://shop.example.org
    14×, the last in flaky-1
    \`\`\`
    Error: lost the connection to the database
        at connect (/app/main.js:3:9)
        at start (/app/main.js:9:3)
        at main (/app/main.js:12:1)
        at Module._compile (node:internal/modules:1:1)
        at Object..js (node:internal/modules:2:1)
    … 2 more lines
    \`\`\`
    14×, the last in flaky-1
    \`\`\`
    pool: 20 connections refused
    \`\`\`
    From the last 200 log lines
    No request in the last day · nothing waits
    [Log before the crash] [Logs] [Restart] [… Refresh | Stop | Tell me here | Change memory | Delete]"
  `);
  expect(message.text).toMatch(/^🔴 flaky keeps crashing, every 20 s: /u);
});

test.each<[string, Partial<PlainService>, readonly string[]]>([
  [
    "keeps crashing: out of connections",
    { status: "Failed", restart_count: 6, last_state: { exit_code: 3, finished_at: "2026-11-21T10:00:00Z" } },
    ["FATAL out of connections", "FATAL out of connections", "FATAL out of connections"],
  ],
  [
    "can't pull its image: ImagePullBackOff",
    { status: "Failed", message: 'ImagePullBackOff: Back-off pulling image "web:4.12": not found' },
    [],
  ],
  [
    "is running, 1 of 3 ready: connection to cache:6379 refused",
    { ready_instances: 1 },
    ["ERROR connection to cache:6379 refused"],
  ],
  ["has an unknown status", { status: undefined }, ["hello"]],
  ["is stopped", { status: "Stopped" }, ["ERROR from before"]],
  ["runs, with no error in today's 2 log lines", {}, ["GET / 200, 0 errors", "done, errors=0"]],
  ["runs, and has logged nothing today", {}, []],
  [
    "runs, but logs 6 error lines per minute: payments answered 504",
    {},
    Array.from({ length: 60 }, (_, at) => timed(600 - at * 10, `ERROR payments answered 504`)),
  ],
  [
    "runs, but logs 2 error lines in 10 min: order 18 failed",
    {},
    [timed(590, "ERROR order 17 failed"), timed(30, "ERROR order 18 failed"), timed(10, "INFO ok")],
  ],
  [
    "runs; its last error: lost the connection",
    {},
    [timed(3 * 3_600, "ERROR lost the connection"), timed(5, "INFO ok")],
  ],
])("the verdict on web: %s", async (verdict, state, logLines) => {
  const message = await answerTo("why service/web", { services: [service("web", state)], logLines });

  expect(
    drawn(message)
      .split("\n")[0]
      ?.replace(/^\S+ web /u, ""),
  ).toBe(verdict);
});

test("after a rollback, errors of the replaced version aren't counted for the current one", async () => {
  const noDatabase = { instance_name: "web-0-g4", log: "error: no answer from the database, trying again" };
  const serving = { instance_name: "web-0-g3", log: "GET / 200" };
  const slow = { instance_name: "web-0-g4", log: "error: the disk is slow" };
  const logLines = [serving, slow, noDatabase, serving, noDatabase, serving];
  const running = { instance_names: ["web-0-g3"], target_instance_size: 1 };
  const [why, show] = await Promise.all(
    ["why", "show"].map((verb) => answerTo(`${verb} service/web`, { services: [service("web", running)], logLines })),
  );

  expect(why && drawn(why)).toContain("🟢 web runs, with no error in the 3 log lines of its current instances");
  expect(why && drawn(why)).toContain(
    "Not counted: 3 errors of instances that are gone, most often: no answer from the database",
  );
  expect(show && drawn(show)).not.toContain("error");
  // What runs now fails at its work, too: each is counted alone.
  const failing = { instance_name: "web-0-g3", log: "ERROR payments answered 504" };
  const both = drawn(
    await answerTo("why service/web", { services: [service("web", running)], logLines: [...logLines, failing] }),
  );
  expect(both).toContain("🟢 web runs, but logs 1 error in the last 4 log lines: payments answered 504");
  expect(both).toContain("From the 4 log lines of its current instances");
  expect(both).toContain("Not counted: 3 errors of instances that are gone");
});

test("right after a restart nothing of the run before counts", async () => {
  const logLines = [{ instance_name: "web-0", log: "ERROR lost the database" }];
  const running = service("web", { instance_names: ["web-0-g1"], target_instance_size: 1 });
  const text = drawn(await answerTo("why service/web", { services: [running], logLines }));

  expect(text).toContain("🟢 web runs, and its current instances have logged nothing yet");
  expect(text).toContain("Not counted: 1 error of instances that are gone: lost the database");
});

test("a failing service gets its cause from a replaced instance of the same rollout, if only that logged one", async () => {
  const logLines = [{ instance_name: "web-x1", log: timed(60, "FATAL out of disk") }];
  const failing = { status: "Failed", instance_names: ["web-x2"], ready_instances: 0 };
  const why = async (since: string) =>
    drawn(
      await answerTo("why service/web", {
        services: [service("web", { ...failing, rollout: { state: "progressing", since } })],
        logLines,
      }),
    );

  expect((await why("2026-11-21T11:58:00Z")).split("\n")[0]).toContain("out of disk");
  const later = await why("2026-11-21T11:59:30Z");
  expect(later.split("\n")[0]).not.toContain("out of disk");
  expect(later).toContain("Not counted: 1 error from before its last rollout: out of disk");
});

test("nine minutes after a broken version was taken back, its errors aren't those of what runs, though its instances keep their names", async () => {
  const running: Partial<PlainService> = {
    instance_names: ["web-0"],
    revision: 4,
    revisions: [
      { revision: 4, created_at: "2026-11-21T11:51:00Z", is_current: true },
      { revision: 3, created_at: "2026-11-21T11:40:00Z" },
    ],
  };
  const broken = Array.from({ length: 18 }, (_, at) => timed(1_000 - at * 20, "ERROR lost the database"));
  const why = async (state: Partial<PlainService>, ...lines: readonly string[]) =>
    drawn(
      await answerTo("why service/web", {
        services: [service("web", { ...running, ...state })],
        logLines: [...broken, ...lines].map((log) => ({ instance_name: "web-0", log })),
      }),
    );

  const well = await why({}, timed(500, "GET / 200"));
  expect(well).toContain("🟢 web runs, with no error in the 1 log line since its last rollout 9m ago");
  expect(well).toContain("Not counted: 18 errors from before its last rollout, most often: lost the database");
  expect(await why({}, timed(300, "ERROR out of disk"), timed(240, "ERROR out of disk"))).toContain(
    "🟢 web runs, but logs 2 error lines in 9 min: out of disk",
  );
  expect(
    await why(
      { ready_instances: 1, target_instance_size: 3 },
      timed(300, "ERROR out of disk"),
      timed(240, "ERROR out of disk"),
    ),
  ).toContain("out of disk\nLast error 4m ago");
});

test("that an instance ended isn't told beside the error that ended it, and alone it is all there is to tell", async () => {
  const ended = "[gantry] instance flaky-0 exited with code 1, restarting in 4 s";
  const because = async (...logLines: string[]) =>
    drawn(await answerTo("why service/flaky", { services: [service("flaky", crashing)], logLines }));

  expect(await because("Error: lost the database", ended)).not.toContain("[gantry]");
  expect(await because("started", ended)).toContain(
    "flaky keeps crashing, every 20 s: [gantry] instance flaky-0 exited with…\n",
  );
});

test("of a log that was read in part, the verdict says how much was read, and its rate is that of this part", async () => {
  const lines = Array.from({ length: 200 }, (_, at) =>
    timed(120 - at * 0.6, at % 10 === 0 ? `ERROR order ${at} failed` : "INFO ok"),
  );

  const message = await answerTo("why service/web", { services: [service("web")], logLines: lines });

  expect(drawn(message)).toContain("🟢 web runs, but logs 10 error lines per minute: order 190 failed\n");
  expect(drawn(message)).toContain("From the last 200 log lines");
});

test("without times and without the log's beginning there is no rate, only what was read", async () => {
  const logLines = Array.from({ length: 200 }, (_, at) => (at % 100 === 0 ? "ERROR no route to payments" : "ok"));

  const message = await answerTo("why service/web", { services: [service("web")], logLines });

  expect(drawn(message)).toContain("runs, but logs 2 errors in the last 200 log lines: no route to payments\n");
});

test("errors from before it began to crash aren't its cause", async () => {
  const logLines = [timed(7_200, "ERROR disk is full"), timed(20, "ERROR lost the database")];

  const message = await answerTo("why service/flaky", { services: [service("flaky", crashing)], logLines });

  expect(drawn(message)).toContain("flaky keeps crashing, every 20 s: lost the database\n");
});

test("a job that failed has its reason, and the error of a Python traceback", async () => {
  const failed = job("import", { failed: 4, conditions: [{ type: "Failed", status: "True" }] });
  const logLines = ["Traceback (most recent call last):", '  File "import.py", line 3', "ValueError: no such table"];

  const message = await answerTo("why job/import", { jobs: [failed], logLines });

  expect(drawn(message)).toMatchInlineSnapshot(`
    "🔴 import failed: ValueError: no such table
    job · us · gantry/batch · created 10h ago
    4 failed attempts · 512 MiB
    1×
    \`\`\`
    Traceback (most recent call last):
      File "import.py", line 3
    ValueError: no such table
    \`\`\`
    From today's 3 log lines
    No request in the last day · nothing waits
    [Logs] [Create like this] [Tell me here] [… Refresh | Delete]"
  `);
});

test("without an error the newest lines follow", async () => {
  const told = drawn(await answerTo("why flaky", { services: [service("flaky")] }));

  expect(told).toContain("No error in today's 1 log line. The newest:\n```\nhello");
});

test("without rights to the log it shows the card alone and reads no log", async () => {
  const script = scripted({
    services: [service("flaky")],
    permissions: ({ op }) => (op === "getServiceLogs" ? refuse : { kind: "allow", rule: "members do" }),
    logLines: ["ERROR lost the database"],
  });

  expect(drawn(await answerTo("why flaky", script))).not.toMatch(/lost the database|error/iu);
  expect(script.calls).not.toContain("getServiceLogs");
});

test.each([
  "2026-11-21T11:59:59.120Z ERROR POST /orders 504",
  "[2026-11-21 11:59:59,120] ERROR: POST /orders 504",
  "11:59:59 ERROR POST /orders 504",
  "11:59:59.120 - ERROR - POST /orders 504",
])("the verdict leaves out the time and the level of %s", async (line) => {
  const message = await answerTo("why service/flaky", { services: [service("flaky", crashing)], logLines: [line] });

  expect(message.text).toMatch(/^🔴 flaky keeps crashing, every 20 s: POST \/orders 504/u);
});

const starting: Partial<PlainService> = { status: "Updating", target_instance_size: 3, ready_instances: 2 };
const event = (reason: string, message: string, more: object = {}) => ({
  reason,
  message,
  object: "web-7d9-x2p",
  count: 1,
  last_at: "2026-11-21T11:59:30Z",
  ...more,
});

test("what the cluster reports is told in words, once, and redacted like a log", async () => {
  const message = await answerTo("why service/web", {
    services: [
      service("web", {
        ...starting,
        message: "Unschedulable: 0/3 nodes are available: 3 Insufficient memory. preemption: not helpful (web-7d9-x2p)",
        rollout: { state: "progressing", updated: 1, target: 3 },
        events: [
          event("FailedScheduling", "0/3 nodes are available: 3 Insufficient memory. preemption: not helpful"),
          event("FailedMount", 'MountVolume.SetUp failed for volume "data": secret "db" not found', { count: 12 }),
          event("Unhealthy", "Readiness probe failed: GET /ready?password=correct-horse-battery answered 500"),
          event("Killing", "Container app failed liveness probe, will be restarted"),
          event("Failed", 'Failed to pull image "shop/web:9": not found', { object: undefined, count: 2 }),
          event("Evicted", "The node was low on resource: memory."),
        ],
      }),
    ],
    logLines: [],
  });

  const shown = drawn(message);
  expect(shown).toContain("Rollout: 1 of 3 updated");
  expect(shown.slice(shown.indexOf("Reported"), shown.indexOf("[Logs]"))).toMatchInlineSnapshot(`
    "Reported by the cluster:
    web-7d9-x2p can't mount a volume, 12 times, the last 30s ago: MountVolume.SetUp failed for volume "data": secret "db" not found
    web-7d9-x2p failed its readiness probe, 30s ago: Readiness probe failed: GET /ready?password=[redacted] 500
    web-7d9-x2p was restarted because its liveness probe failed, 30s ago: Container app failed liveness probe, will be restarted
    Several instances: can't pull its image, 2 times, the last 30s ago: Failed to pull image "shop/web:9": not found
    web-7d9-x2p was evicted from its node, 30s ago: The node was low on resource: memory.
    The log has no lines today.
    No request in the last day · nothing waits
    "
  `);
  expect(shown.match(/Insufficient memory/gu)).toHaveLength(1);
  expect(JSON.stringify(message)).not.toContain("correct-horse-battery");
});

test("the value of a variable in an event isn't shown", async () => {
  const env = [{ name: "DB_PASSWORD", value: "postgres-4711-geheim" }];
  const message = await answerTo("why service/web", {
    services: [
      service("web", {
        ...starting,
        containers: [{ name: "web", env }],
        events: [event("Unhealthy", "Startup probe failed: cannot reach postgres-4711-geheim")],
      }),
    ],
    logLines: [],
  });

  expect(drawn(message)).toContain("failed its startup probe");
  expect(JSON.stringify(message)).not.toContain("postgres-4711-geheim");
});

test.each<[string, Partial<PlainService>]>([
  [
    "is updating: can't mount a volume",
    { ...starting, events: [event("BackOff", "Back-off restarting"), event("FailedMount", 'secret "db" not found')] },
  ],
  [
    "keeps crashing, every 20 s: its liveness probe fails",
    { ...crashing, events: [event("Killing", "Container app failed liveness probe, will be restarted")] },
  ],
  [
    "fails its health check, every 20 s: its liveness probe fails",
    { ...crashing, message: "Liveness probe failed: HTTP probe failed with statuscode: 500" },
  ],
])("the verdict knows what only an event says: %s", async (verdict, state) => {
  const message = await answerTo("why service/web", { services: [service("web", state)], logLines: [] });

  expect(drawn(message).split("\n")[0]).toContain(`web ${verdict}`);
});

test("an answer without events says why they are missing, also of a job", async () => {
  const notRead = "Events aren't shown: Gantry's account may not list events. Add the verb to its Role.";
  const failed = {
    ...job("report", { conditions: [{ type: "Failed", status: "True", message: "exit code 2" }] }),
    events_not_read: notRead,
  };

  expect(drawn(await answerTo("why job/report", { jobs: [failed], logLines: [] }))).toContain(notRead);
});

test("why says who changed it in the last day, what waits, and offers the log of the run that crashed", async () => {
  const workload = { kind: "service", region: "beijing1", name: "flaky" } as const; // a literal kind
  const at = new Date("2026-11-21T11:50:00Z");
  const done = { ...workload, uid: "u1" };
  const request = {
    ...waiting,
    state: "done",
    verb: "deploy",
    diff: ["image flaky:1.4 → flaky:1.5"],
    workload: done,
  } as const; // a literal state
  const message = await answerTo("why service/flaky", {
    services: [service("flaky", { ...crashing, restart_count: 40 })],
    logLines: [],
    events: [
      stored(9, { kind: "done", workload, verb: "deploy", at, request }),
      stored(8, { kind: "watched", workload, verb: "watch", at, request: undefined }),
      stored(7, { kind: "done", workload: { ...workload, region: "us" }, verb: "restart", at, request: undefined }),
    ],
  });

  const text = drawn(message);
  expect(text).toMatch(/40 restarts in all\nChanged in the last day:\n🔄 Deploying :1\.5 to flaky · by Dana Reyes/u);
  expect(text).not.toMatch(/watches|restarted|No request/u);
  expect(text).toContain("[Log before the crash]");
  expect(JSON.stringify(message.blocks)).toContain(String.raw`\"previous\":true`);
});

test("the row of a job that is still retried says only what was done, because the headline has its health", async () => {
  const workload = { kind: "job", region: "us", name: "bad" } as const; // a literal kind
  const health = { kind: "watching", level: "busy", outcome: "is retrying after 2 failed attempts" } as const; // literals
  const request = stored(9, {
    kind: "done",
    workload,
    verb: "create",
    request: {
      ...waiting,
      op: "createJob",
      state: "done",
      verb: "create",
      diff: [],
      workload: { ...workload, uid: "u1" },
      ending: { kind: "run", outcome: { kind: "done", after: undefined, alsoMoved: [] } },
      progress: { ...health, line: "", excerpt: [] },
    },
  });
  const text = drawn(
    await answerTo("why job/bad", {
      jobs: [job("bad", { failed: 3 })],
      logLines: [],
      events: [{ ...request, at: new Date("2026-11-21T11:50:00Z") }],
    }),
  );

  expect(text).toMatch(/Changed in the last day:\n✅ Created job bad · by Dana Reyes/u);
  expect(text).not.toContain("2 failed attempts");
});

test("why of a quiet day says so", async () => {
  const text = drawn(await answerTo("why service/web", { services: [service("web")], logLines: ["GET / 200"] }));

  expect(text).toContain("No request in the last day · nothing waits");
});
