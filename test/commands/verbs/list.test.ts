import { expect, test } from "vitest";
import { Ask } from "../../../src/commands/ask.ts";
import { workloadList, type WorkloadList } from "../../../src/commands/verbs/list/workload-list.ts";
import { drawn } from "../../views/support/drawn.ts";
import { ask, command, job, now, report, service, web } from "../../views/support/workloads.ts";

function list(given: Partial<WorkloadList>) {
  return workloadList({
    services: undefined,
    jobs: undefined,
    ask: ask("list"),
    page: 0,
    filter: {},
    region: "beijing1",
    now,
    command,
    shared: false,
    ...given,
  });
}

const many = Array.from({ length: 2000 }, (_, at) => service(`web-${String(at).padStart(4, "0")}`));

test("services and jobs stand in one table", () => {
  const message = list({
    services: [service("worker", { status: "Hibernating", port_mappings: [], default_domain_name: undefined }), web],
    jobs: [report, job("import", { active: 1, startTime: "2026-11-21T11:00:00Z" })],
  });

  expect(message.text).toMatchInlineSnapshot(
    `"services in beijing1 and jobs in us · 4 in all: web Running, worker Hibernating, import Running, report Complete"`,
  );
  expect(drawn(message)).toMatchInlineSnapshot(`
    "Name    Kind     Status         Instances   Memory   Age  URL
    web     service  Running                3  512 MiB   3 d  http://web-dana.example.org:31080
    worker  service  Hibernating            3  512 MiB   3 d  –
    import  job      Running      0 of 1 done  512 MiB  10 h  –
    report  job      Complete     1 of 1 done  512 MiB  10 h  –
    services in beijing1 and jobs in us · 4 in all
    [Act on… ▾]"
  `);
});

test("of one kind, the kind is no column", () => {
  const message = list({ jobs: [job("import", { failed: 2, conditions: [{ type: "Failed", status: "True" }] })] });

  expect(drawn(message)).toMatchInlineSnapshot(`
    "Name    Status     Progress   Memory   Age
    import  Failed  0 of 1 done  512 MiB  10 h
    jobs in us · 1 in all
    [Act on… ▾]"
  `);
});

test("the second page of 2,000 has Back and Next, and says where it is", () => {
  const message = list({ services: many, page: 1, filter: { status: "running", text: "WEB" } });

  expect(drawn(message).split("\n").slice(1)).toMatchInlineSnapshot(`
    [
      "web-0010  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0011  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0012  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0013  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0014  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0015  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0016  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0017  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0018  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "web-0019  Running          3  512 MiB  3 d  http://web-dana.example.org:31080",
      "services in beijing1 · 11–20 of 2,000 · status running · text WEB",
      "[Back] [Next] [Act on… ▾]",
    ]
  `);
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

test("an empty list and a filter that fits nothing are different answers", () => {
  const answers = [
    list({ services: [], jobs: [] }),
    list({ jobs: [] }),
    list({ services: [web], jobs: [], filter: { text: "api", status: "Failed" } }),
    list({ services: many, filter: { text: "api" } }),
  ];

  expect(answers.map((message) => `${message.text}\n${drawn(message)}`).join("\n\n")).toMatchInlineSnapshot(`
    "Nothing here yet. Create one with /gantry create service web --image gantry/hello-web
    Nothing here yet. Create one with /gantry create service web --image gantry/hello-web
    services in beijing1 and jobs in us

    Nothing here yet. Create one with /gantry create job report --image gantry/batch
    Nothing here yet. Create one with /gantry create job report --image gantry/batch
    jobs in us

    No service or job matches status Failed and text api. There is 1 without the filter.
    No service or job matches status Failed and text api. There is 1 without the filter.
    services in beijing1 and jobs in us

    No service matches text api. There are 2,000 without the filter.
    No service matches text api. There are 2,000 without the filter.
    services in beijing1"
  `);
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
