import { expect, test } from "vitest";
import { Ask } from "../../../../src/bot/ask.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { workloadList, type WorkloadList } from "../../../../src/bot/commands/verbs/list/workload-list.ts";
import type { Message } from "../../../../src/bot/views/kit/post.ts";
import { drawn } from "../../views/support/drawn.ts";
import { ask, job, now, report, service, web } from "../../views/support/workloads.ts";
import { answerTo } from "../support/script.ts";

function list(given: Partial<WorkloadList>) {
  return workloadList({
    services: undefined,
    jobs: undefined,
    ask: ask("list"),
    page: 0,
    filter: {},
    region: "beijing1",
    jobsRegion: "us",
    now,
    shared: false,
    mayCreate: true,
    ...given,
  });
}

/** The first lines of the rows. */
function rowsOf(message: Message): string[] {
  return drawn(message)
    .split("\n")
    .filter((line) => /^(?:🟢|🟡|🔴|⚪)/u.test(line));
}

const many = Array.from({ length: 2000 }, (_, at) => service(`web-${String(at).padStart(4, "0")}`));

test("only the ten workloads of a page are drawn, however many there are", () => {
  let drawnRows = 0;
  const counting = many.map((each) => ({
    ...each,
    get port_mappings() {
      drawnRows += 1;
      return undefined;
    },
  }));

  list({ services: counting });

  expect(drawnRows).toBe(10);
});

test("services and jobs share one list of two lines each: trouble first, then by name", () => {
  const restarts = { count: 6, first_at: "2026-11-21T11:55:00Z", last_at: "2026-11-21T11:59:00Z" };
  const message = list({
    services: [
      service("worker", {
        status: "Hibernating",
        port_mappings: [],
        default_domain_name: undefined,
        binding_domain_name: [],
      }),
      service("web", { ready_instances: 3 }),
      service("flaky", { restarts, ready_instances: 1, created_at: "2026-11-21T11:59:16Z" }),
    ],
    jobs: [
      report,
      job("boom", { failed: 4, conditions: [{ type: "Failed", status: "True" }] }),
      job("import", { active: 1, startTime: "2026-11-21T11:00:00Z" }),
    ],
  });

  expect(message.text).toMatchInlineSnapshot(
    `"3 services in beijing1 · 3 jobs in us · 2 need attention: 🔴 boom failed, 🔴 flaky keeps crashing: 6 restarts in 4 min, 🟢 import running, ⚪️ report complete, 🟢 web running, 🟡 worker hibernating"`,
  );
  expect(drawn(message)).toMatchInlineSnapshot(`
    "3 services in beijing1 · 3 jobs in us · 2 need attention
    🔴 boom · failed
      job · 4 attempts · 10h old
    🔴 flaky · keeps crashing: 6 restarts in 4 min
      1 of 3 · 44s old · shop.example.org +1
    🟢 import · running
      job · 10h old
    ⚪️ report · complete
      job · 10h old
    🟢 web · running
      3 of 3 · 3d old · shop.example.org +1
    🟡 worker · hibernating
      3 instances · 3d old
    [Act on… ▾]"
  `);
});

test("what keeps a workload from running is beside its status, in a few words", () => {
  const pulling = 'ImagePullBackOff: Back-off pulling image "registry.example.com/shop/web:4.12": not found';
  const message = list({
    services: [
      service("web", { status: "Failed", message: pulling }),
      service("search", { status: "Updating", message: "Unschedulable: 0/14 nodes are available" }),
      service("loop", { status: "Failed", restart_count: 6, message: "back-off 5m0s", last_state: { exit_code: 3 } }),
    ],
  });

  expect(rowsOf(message).map((row) => row.split(" · ")[1])).toEqual([
    "keeps crashing: exit 3, 6 restarts",
    "can't pull its image",
    "fits on no node",
  ]);
});

test("jobs have neither a size nor an address", () => {
  const message = list({ jobs: [job("import", { failed: 2, conditions: [{ type: "Failed", status: "True" }] })] });

  expect(drawn(message)).toMatchInlineSnapshot(`
    "1 job in us · 1 needs attention
    🔴 import · failed
      job · 2 attempts · 10h old
    [Act on… ▾]"
  `);
});

test("a job that runs is not counted as 0 of 1, and one that completes several times says how far it is", () => {
  const running = job("import", { active: 1, startTime: "2026-11-21T11:00:00Z" });
  const message = list({
    jobs: [running, { ...running, metadata: { name: "shards" }, spec: { completions: 12 } }],
  });

  expect(drawn(message)).toMatchInlineSnapshot(`
    "2 jobs in us
    🟢 import · running
      job · 10h old
    🟢 shards · running
      job · 0 of 12 done
    [Act on… ▾]"
  `);
});

test("services and jobs of one region are counted together", () => {
  expect(drawn(list({ services: [web], jobs: [report], region: "us" })).split("\n")[0]).toBe("2 workloads in us");
});

test("a region without services is named, so that the jobs of another region aren't taken for its own", () => {
  const title = (given: Partial<WorkloadList>) => drawn(list({ jobs: [report], ...given })).split("\n")[0];

  expect(title({ services: [] })).toBe("No services in beijing1 · 1 job in us");
  expect(title({ services: [], region: "us" })).toBe("1 job in us");
  expect(title({})).toBe("1 job in us");
});

test("the pages of 3,000 follow each other in order, trouble first, in whatever order they come", () => {
  const shuffled = Array.from({ length: 3_000 }, (_, at) =>
    service(`web-${(at * 1_237) % 3_000}`, at % 900 === 0 ? { status: "Failed" } : {}),
  );
  const failed = shuffled.filter(({ status }) => status === "Failed").map(({ name }) => name);
  const rest = shuffled.filter(({ status }) => status !== "Failed").map(({ name }) => name);
  const inOrder = [...failed.toSorted(), ...rest.toSorted()];

  for (const page of [0, 1, 9, 10, 299]) {
    const { text } = list({ services: shuffled, page });
    const names = [...text.matchAll(/web-\d+/gu)].map(([name]) => name);
    expect(names).toEqual(inOrder.slice(page * 10, page * 10 + 10));
  }
});

test("the second page of 2,000 has Back and Next, and says where it is", () => {
  const message = list({ services: many, page: 1, filter: { status: "running", text: "WEB" } });

  const lines = drawn(message).split("\n");
  expect([...lines.slice(0, 3), ...lines.slice(-2)]).toMatchInlineSnapshot(`
    [
      "2,000 of 2,000 services · running · name contains “WEB”",
      "🟢 web-0010 · running",
      "  3 instances · 3d old · shop.example.org +1",
      "11–20 of 2,000",
      "[Back] [Next] [Act on… ▾]",
    ]
  `);
});

test.each([
  ["failed", "boom, flaky, slow"],
  ["Failing", "boom, flaky, slow"],
  ["unhealthy", "boom, flaky, slow"],
  ["running", "slow, import, web"],
  ["healthy", "import, web"],
  ["stopped", "old"],
  ["idle", "unused"],
  ["COMPLETE", "report"],
  ["done", "report"],
  ["restarting", "flaky"],
  ["hiber", "odd"],
])("the status %s finds %s", (status, names) => {
  const message = list({
    services: [
      web,
      service("flaky", { restarts: { count: 6 } }),
      service("slow", { ready_instances: 1 }),
      service("old", { status: "Stopped" }),
      service("unused", { status: "Idle" }),
      service("odd", { status: "Hibernating" }),
    ],
    jobs: [
      report,
      job("boom", { conditions: [{ type: "Failed", status: "True" }] }),
      job("import", { active: 1, startTime: "2026-11-21T11:00:00Z" }),
    ],
    filter: { status },
  });

  const found = rowsOf(message).map((row) => row.replace(/^\S+ /u, "").split(" · ")[0]);
  expect(found.join(", ")).toBe(names);
});

test.each([
  ["list failed", { status: "failed" }],
  ["list Failed jobs", { kind: "jobs", status: "failed" }],
  ["list services web", { kind: "services", text: "web" }],
  ["list web stopped services", { kind: "services", text: "web", status: "stopped" }],
  ["list failed --status Hibernating", { text: "failed", status: "Hibernating" }],
  ["list idle", { status: "idle" }],
  ["list stopped failed", { status: "stopped", text: "failed" }],
])("the words %s are understood in any order", (words, args) => {
  expect(parseText(words).ask.args).toEqual(args);
});

test("two names are one too many", () => {
  expect(() => parseText("list web worker")).toThrow("I can filter by one name, not by “web” and “worker”.");
});

test("the buttons carry the ask with another page, and each has its own id", () => {
  const asked = ask("list", { kind: "services", page: 1 });

  const message = list({ services: many, page: 1, ask: asked, shared: true });

  const buttons = message.blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  expect(buttons.map((each) => each.action_id)).toEqual(["ask:0", "ask:1", "pick:service"]);
  const carried = buttons.flatMap((each) => (each.type === "button" ? [Ask.parse(JSON.parse(each.value ?? ""))] : []));
  expect(carried).toEqual([
    { ...asked, share: true, args: { kind: "services", page: 0 } },
    { ...asked, share: true, args: { kind: "services", page: 2 } },
  ]);
});

test.each([
  [2000, "1,991–2,000 of 2,000"],
  [-1, "1–10 of 2,000"],
  [199, "1,991–2,000 of 2,000"],
])("page %i is within the list", (page, range) => {
  const message = list({ services: many, page });

  expect(drawn(message)).toContain(range);
});

test("a filter too long for a button leaves the button out", () => {
  const message = list({ services: many, ask: ask("list", { text: "x".repeat(2000) }) });

  expect(drawn(message).split("\n").at(-1)).toBe("[Act on… ▾]");
});

test("an empty list and a filter that fits nothing are different answers, each with the next step", () => {
  const answers = [
    list({ services: [], jobs: [] }),
    list({ jobs: [] }),
    list({ services: [], mayCreate: false }),
    list({ services: [web], jobs: [], filter: { text: "api", status: "Failed" } }),
    list({ services: many, filter: { text: "api" } }),
    list({ services: [web], jobs: [report], filter: { status: "failed" } }),
  ];

  expect(answers.map(drawn).join("\n\n")).toMatchInlineSnapshot(`
    "No workloads in beijing1 yet.
    [Create one]

    No jobs yet.
    [Create one]

    No services in beijing1 yet.

    Nothing matches: needs attention, name contains “api”. Without the filter: 1 service in beijing1.
    [Show all]

    Nothing matches: name contains “api”. Without the filter: 2,000 services in beijing1.
    [Show all]

    Nothing needs attention among 1 service in beijing1 · 1 job in us.
    [Show all]"
  `);
});

test("the text of a filter is found anywhere in a name, and with a star it is a pattern", () => {
  const services = ["web", "web-admin", "shop-web", "api"].map((name) => service(name));
  const heading = (text: string) => drawn(list({ services, filter: { text } })).split("\n")[0];

  expect(heading("WEB")).toBe("3 of 4 services · name contains “WEB”");
  expect(heading("*Web*")).toBe("3 of 4 services · name matches “*Web*”");
  expect(heading("web*")).toBe("2 of 4 services · name matches “web*”");
});

test("a row says what isn't a Deployment or a Job, because kinds can share a name", () => {
  const services = [
    service("db", { kubernetes_kind: "Deployment" }),
    service("db.statefulset", { kubernetes_kind: "StatefulSet" }),
  ];
  const jobs = [
    { ...report, kubernetes_kind: "Job" },
    { ...report, metadata: { ...report.metadata, name: "tidy" }, kubernetes_kind: "CronJob" },
  ];

  const lines = drawn(list({ services, jobs })).split("\n");
  const facts = (name: string) => lines[lines.findIndex((line) => line.includes(` ${name} · `)) + 1]?.trim() ?? "";
  expect(facts("db")).toMatch(/^\d/u);
  expect(facts("db.statefulset")).toMatch(/^StatefulSet · \d/u);
  expect(facts(report.metadata.name)).toMatch(/^job · /u);
  expect(facts("tidy")).toMatch(/^CronJob · /u);
});

test("a list of failing workloads says how many of all need attention", () => {
  const failed = service("api", { status: "Failed" });
  const heading = (services: WorkloadList["services"]) =>
    drawn(list({ services, filter: { status: "failed" } })).split("\n")[0];

  expect(heading([web, failed])).toBe("1 of 2 services needs attention");
  expect(heading([web, failed, { ...failed, name: "db" }])).toBe("2 of 3 services need attention");
  expect(drawn(list({ services: [web, failed], filter: { status: "failed", text: "API" } })).split("\n")[0]).toBe(
    "1 of 2 services needs attention · name contains “API”",
  );
});

test.each([
  [{ services: [web], jobs: [report] }, "pick:any"],
  [{ services: [web] }, "pick:service"],
  [{ jobs: [report] }, "pick:job"],
])("under a list one chooses among what it lists (%#)", (kinds, picker) => {
  const message = list({ ...kinds, region: "beijing2" });

  const row = message.blocks.find(({ type }) => type === "actions");
  expect(row).toMatchObject({ block_id: "region:beijing2", elements: [{ action_id: picker, min_query_length: 0 }] });
});

test("a region that cannot be a block's id is left out of it", () => {
  const message = list({ services: [web], region: "bei jing".repeat(40) });

  const row = message.blocks.find(({ type }) => type === "actions");
  expect(row).toMatchObject({ elements: [{ action_id: "pick:service" }] });
  expect(row).not.toHaveProperty("block_id");
});

/** What `list` says when the workload API answers so. */
async function told(services: object, jobs: () => Response): Promise<string> {
  const apiFetch = async ({ url }: Request): Promise<Response> =>
    url.endsWith("/jobs") ? jobs() : Response.json({ region: "beijing1", ...services });
  return drawn(await answerTo("list", { apiFetch }));
}

const noJobs = (): Response => Response.json({ jobs: null });

test("one kind that can't be read doesn't hide the other", async () => {
  const moved = (): Response => Response.json({ message: "jobs are being moved" }, { status: 403 });

  const list = await told({ services: [{ name: "web" }] }, moved);

  expect(list).toMatch(/^🟡 web · status unknown$/mu);
  expect(list).toContain("Couldn't list the jobs: ");
});

test("a region that is only for jobs lists no services, but says when they can't be read", async () => {
  const inUs = async (status: number): Promise<string> => {
    const apiFetch = async ({ url }: Request): Promise<Response> =>
      url.endsWith("/jobs") ? Response.json({ jobs: [report] }) : Response.json({ message: "us?" }, { status });
    return drawn(await answerTo("list --region us", { apiFetch }));
  };

  expect(await inUs(400)).toMatch(/^1 job in us\n(?![\s\S]*Couldn't)/u);
  expect(await inUs(404)).toMatch(/^1 job in us\n(?![\s\S]*Couldn't)/u);
  expect(await inUs(403)).toContain("Couldn't list the services: ");
});

test("entries without a name are counted, not hidden", async () => {
  const list = await told({ services: [{ name: "web" }, { status: "Running" }, null] }, noJobs);

  expect(list).toMatch(/^🟡 web · status unknown$/mu);
  expect(list).toContain("2 services can't be listed, because the workload API sent no name.");
});

test("what the workload API can't list is said under the list, in its own words", async () => {
  const sentence = "DaemonSets aren't listed: Gantry's account may not list daemonsets. Add the verb to its Role.";

  const list = await told({ services: [{ name: "web" }], not_listed: [sentence] }, noJobs);

  expect(list).toMatch(/^🟡 web · status unknown$/mu);
  expect(list).toContain(sentence);
});
