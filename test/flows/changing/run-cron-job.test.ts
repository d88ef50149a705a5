import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, clicks, form, says } from "../../support/speak.ts";
import { newest, type WorldOptions } from "../../support/world.ts";

const schedule = {
  cron: "0 2 * * *",
  suspended: false,
  next_run: "2026-11-23T02:00:00Z",
  last_run: "2026-11-20T02:00:00Z",
  last_job: "nightly-1",
  last_result: "failed",
};
const reason = "Gantry may not delete job nightly: it is a CronJob. Delete it with kubectl.";
const nightly = {
  metadata: { name: "nightly", uid: "u-nightly" },
  instance_names: [],
  status: {},
  spec: { template: { spec: { containers: [{ name: "main", image: "shop/report:1" }] } } },
  schedule,
  refused_operations: [{ operation: "deleteJob", reason }],
};

/** A town whose workload API has the CronJob `nightly`; a job of it is complete at once. */
async function cronTown(options: Omit<WorldOptions, "engine" | "apiFetch" | "via">) {
  let template: object = nightly;
  const made = new Map<string, unknown>();
  const sent: unknown[] = [];
  const town = await approvalTown({
    ...options,
    async via(request, send) {
      const [, name = ""] = /\/jobs\/([^/]+)$/u.exec(new URL(request.url).pathname) ?? [];
      if (name === "nightly") return Response.json(template);
      if (request.method === "POST" && name.startsWith("nightly-")) {
        const body: unknown = await request.json();
        sent.push({ name, body });
        const job = { metadata: { name, uid: `u-${name}` }, status: {} };
        const complete = { completionTime: "2026-11-20T08:00:09Z", succeeded: 1, startTime: "2026-11-20T08:00:01Z" };
        made.set(name, { ...job, managed_by: "CronJob nightly", status: complete });
        return Response.json({ job });
      }
      const job = made.get(name);
      return job === undefined ? send(request) : Response.json(job);
    },
  });
  return { town, sent, nowIs: (more: object) => void (template = { ...nightly, ...more }) };
}

test("a CronJob shows its schedule and how its last run went, and runs now from its card, with one job made", async () => {
  const { town, sent } = await cronTown({ policy: openPolicy });
  await using _town = town;
  const { developer } = town;

  const shown = await says(town, developer, "/gantry show job/nightly");
  expect(shown).toContain("🔴 nightly · last run failed");
  expect(shown).toMatch(/Schedule 0 2 \* \* \* · next run .* if the cluster uses UTC/u);
  expect(shown).toMatch(/Last run .* ago: nightly-1 · failed/u);
  expect(shown).toMatch(/\[Logs\] \[Run now\]/u);
  expect(shown).not.toContain("[Delete]");

  await clicks(town, developer, "Run now");
  expect(form(developer)).toContain("Makes a job of it now. Its schedule stays as it is.");
  await developer.submits({});
  await town.settled();
  await town.sweep();

  expect(sent).toEqual([{ name: expect.stringMatching(/^nightly-[0-9a-z]+$/u), body: { from_cron_job: "nightly" } }]);
  // Once the job ended, this is one of its facts.
  expect(card(developer)).toMatch(/runs CronJob nightly now/iu);
  expect(card(developer)).toMatch(/✅ .*nightly-[0-9a-z]+/u);
});

const votes = `
rules:
  - { name: look, who: [members], does: [read], then: allow }
  - { name: all else, who: [members], does: [routine], then: { approve: { from: [channel-members] } } }
`;

test("a run waits for an approval where the policy wants one, and is sent once however often it is approved", async () => {
  const { town, sent } = await cronTown({ policy: votes });
  await using _town = town;

  await says(town, town.developer, "/gantry run nightly --reason late");
  expect(card(town.approver)).toMatch(/Create job nightly-[0-9a-z]+\?/u);
  expect(card(town.approver)).toContain("Runs CronJob nightly now");
  expect(sent).toEqual([]);

  await Promise.all([town.approver.clicks("Approve"), town.approver.clicks("Approve")]);
  await town.settled();

  expect(sent).toHaveLength(1);
  expect(count(town, "createJob")).toBe(1);
  expect(await says(town, town.developer, "/gantry history")).toContain("nightly-");
});

test("a rule about the CronJob alone isn't got around by the name of the new job", async () => {
  const policy = `
rules:
  - { name: careful, who: [members], does: [createJob], workloads: { name: nightly }, then: { approve: { from: [channel-members] } } }
  - { name: everything, who: [members], does: [read, routine], then: allow }
`;
  const { town, sent } = await cronTown({ policy });
  await using _town = town;

  const told = await says(town, town.developer, "/gantry run nightly");

  expect(told).toContain("The policy rule for nightly doesn't cover its jobs");
  expect(told).toContain("nightly*");
  expect(sent).toEqual([]);
});

test("only a CronJob is run now", async () => {
  const { town } = await cronTown({ policy: openPolicy });
  await using _town = town;

  expect(await says(town, town.developer, "/gantry run service/web")).toContain("web is a service");
  expect(await says(town, town.developer, "/gantry run nightyl")).toContain("no job named nightyl");
  expect(newest(town.developer)).not.toContain("created");
});

const noMiners = `
rules:
  - { name: look, who: members, does: read, then: allow }
  - { name: no miners, who: everyone, does: createJob, images: evil/*, then: refuse }
  - { name: all else, who: members, does: routine, then: { approve: {} } }
`;

test("a run isn't sent where the CronJob got an init container with a forbidden image while it waited", async () => {
  const { town, sent, nowIs } = await cronTown({ policy: noMiners });
  await using _town = town;
  await says(town, town.developer, "/gantry run nightly");
  nowIs({ init_containers: [{ name: "fetch", image: "evil/miner:1" }] });

  await clicks(town, town.approver, "Approve");

  expect(sent).toEqual([]);
  expect(card(town.developer)).toMatch(/may no longer do this.*no miners/su);
});
