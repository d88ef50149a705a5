import { Redacted } from "../../../src/api/redacted.ts";
import { asRead } from "../../support/as-read.ts";
import fc from "fast-check";
import { test } from "vitest";
import type { Change } from "../../../src/bot/changes/change.ts";
import { UserError } from "../../../src/bot/errors.ts";
import { makeExcerpt } from "../../../src/bot/logs/excerpt.ts";
import { bugMessage, problemMessage, userErrorMessage } from "../../../src/bot/views/messages/error-messages.ts";
import { helpAll, helpStart, helpVerb } from "../../../src/bot/commands/verbs/help.ts";
import { inviteHint } from "../../../src/bot/views/messages/sentences.ts";
import { jobCard } from "../../../src/bot/commands/verbs/show/job-card.ts";
import { logExcerpt } from "../../../src/bot/commands/verbs/logs/log-excerpt.ts";
import { nothingToDo } from "../../../src/bot/views/messages/request-answers.ts";
import { serviceCard } from "../../../src/bot/commands/verbs/show/service-card.ts";
import { whoamiMessage } from "../../../src/bot/commands/verbs/account.ts";
import { workloadList } from "../../../src/bot/commands/verbs/list/workload-list.ts";
import { hostileJob, hostileService, hostileText, long } from "./support/hostile.ts";
import { holds } from "./support/holds.ts";
import { expectFits } from "./support/judges.ts";
import { command, now } from "./support/workloads.ts";

const ask = fc.record({
  verb: fc.constant("list"),
  region: hostileText,
  share: fc.boolean(),
  args: fc.record({ text: hostileText, grep: hostileText, instance: hostileText }),
});

holds(
  "the list of workloads",
  fc.record({
    services: fc.option(fc.array(hostileService, { maxLength: 2 }), { nil: undefined }),
    jobs: fc.option(fc.array(hostileJob, { maxLength: 2 }), { nil: undefined }),
    times: fc.constantFrom(1, 1, 1, 1, 8),
    ask,
    page: fc.constantFrom(0, 1, -3, 1e9, Number.NaN),
    filter: fc.oneof(fc.constant({}), fc.constant({ text: "" }), fc.record({ text: hostileText, status: hostileText })),
    region: hostileText,
    jobsRegion: hostileText,
    shared: fc.boolean(),
  }),
  ({ services, jobs, times, ...rest }) => {
    const repeated = <Item>(items: readonly Item[] | undefined) =>
      items && Array.from({ length: times }, () => items).flat();

    expectFits(workloadList({ ...rest, services: repeated(services), jobs: repeated(jobs), now, mayCreate: true }));
  },
);

holds("the card of a service", fc.tuple(hostileService, hostileText), ([service, region]) => {
  expectFits(serviceCard({ service, region, now }));
});

holds("the card of a job", fc.tuple(hostileJob, hostileText), ([job, region]) => {
  expectFits(jobCard({ job, region, now }));
});

test.each(long.map((text) => [text.slice(0, 12), text]))(
  "cards in which every field is %s… break no limit",
  (_name, text) => {
    const many = Array.from({ length: 200 }, () => text);
    const named = many.map((name) => ({ name, mountPath: name, hostPath: { path: name } }));
    const one = {
      name: text,
      image: text,
      command: many,
      env: named,
      resources: { limits: { memory: text, cpu: text } },
    };
    const service = {
      name: text,
      uid: text,
      created_at: text,
      status: text,
      port_mappings: many.map((url) => ({ service_url: url, protocol: text })),
      volumes: many.map((name) => ({ name, disk_name: name })),
      default_domain_name: text,
      binding_domain_name: many,
    };
    const conditions = many.map((reason) => ({ type: text, status: "True", reason, message: text }));
    const status = { conditions, startTime: text, completionTime: text };
    for (const count of [1, 200]) {
      const containers = Array.from({ length: count }, () => ({ ...one, volumeMounts: named }));
      const spec = { template: { spec: { containers, volumes: named } } };

      expectFits(serviceCard({ service: { ...service, containers }, region: text, now }));
      expectFits(
        jobCard({
          job: asRead({ instance_names: many, metadata: { name: text, uid: text }, spec, status }),
          region: text,
          now,
        }),
      );
    }
  },
);

const record = fc.record({
  instance: fc.option(hostileText, { nil: undefined }),
  text: hostileText.map((text) => Redacted.parse(text)),
});

const logPage = { day: { date: "2026.11.20", zone: "UTC", today: "2026.11.21" }, mark: "1.x", canShare: true };

holds(
  "a log excerpt",
  fc.record({
    lines: fc.tuple(fc.array(record, { maxLength: 5 }), fc.constantFrom(1, 1, 1, 1, 2, 40)),
    name: hostileText,
    ask,
    from: fc.nat(5000),
    overlap: fc.nat(3),
    matched: fc.constantFrom(undefined, 0, 3),
  }),
  ({ lines: [some, times], name, from, overlap, matched, ask: asked }) => {
    const all = Array.from({ length: times }, () => some).flat();
    const lines = all.map(({ instance, text }) => ({
      text,
      match: false,
      ...(instance !== undefined && { instance }),
    }));
    const instance = all[0]?.instance;
    const excerpt = { lines, read: lines.length, matched, from, size: 5, mayHaveOlder: true, instance, overlap };

    expectFits(logExcerpt({ ...logPage, workload: { kind: "job", name }, requester: name, excerpt, ask: asked }));
  },
);

holds("a log excerpt as it is made", fc.tuple(fc.array(record, { maxLength: 4 }), ask), ([lines, asked]) => {
  const excerpt = makeExcerpt({ lines, from: 0, size: 3, grep: { test: (line) => !line.includes("web") } });

  expectFits(
    logExcerpt({
      ...logPage,
      workload: { kind: "service", name: "web" },
      requester: "Dana Reyes",
      excerpt,
      ask: asked,
    }),
  );
});

const call: fc.Arbitrary<Change["call"]> = fc.constantFrom(
  { op: "restartService", path: { region: "us", service_name: "web" }, query: undefined, body: undefined },
  { op: "deleteJob", path: { region: "us", job_name: "web" }, query: undefined, body: undefined },
  { op: "updateService", path: { region: "us", service_name: "web" }, query: undefined, body: {} },
);

holds(
  "what is so already",
  fc.record({ call, name: hostileText, region: hostileText }),
  ({ call: same, name, region }) => {
    const workload = { kind: "service", region, name, uid: undefined } as const; // a kind, not any string
    expectFits(nothingToDo({ call: same, workload, before: undefined }));
  },
);

const verb = fc.record({
  name: hostileText,
  summary: hostileText,
  usage: hostileText,
  example: hostileText,
  options: fc.array(fc.record({ flag: hostileText, summary: hostileText }), { maxLength: 3 }),
});

holds("help", fc.array(verb, { maxLength: 4 }), (commands) => {
  const outlook = "approve" as const;
  const listed = commands.map((each) => ({ ...each, outlook, group: "Look" as const }));
  expectFits(helpAll({ commands: listed, command }));
  expectFits(helpStart({ commands: listed.map((each) => ({ ...each, isMostUsed: true as const })), command }));
  for (const { usage: alias, ...each } of commands) {
    const verb = { ...each, usage: alias, hasForm: false, aliases: [alias] };
    expectFits(helpVerb({ verb, command, outlooks: [{ risk: "routine", outlook }] }));
  }
});

holds("a problem", fc.tuple(hostileText, hostileText), ([sentence, next]) => {
  expectFits(problemMessage({ sentence, next, status: 400 }, { reference: sentence, effect: "write" }));
});

holds("a mistake", fc.tuple(hostileText, fc.option(hostileText, { nil: undefined })), ([message, next]) => {
  expectFits(userErrorMessage(new UserError(message, { next, usage: next, example: message }), command));
});

holds("a bug", hostileText, (reference) => {
  expectFits(bugMessage(reference));
});

holds("whoami", fc.tuple(hostileText, hostileText, fc.nat()), ([username, service, count]) => {
  const calls = { count, since: new Date(count) };
  const account = { owner: { kind: "workspace" } as const, username, calls };

  const hostile = { name: service, version: username, cannot: [service, username] };
  const engine = {
    title: service,
    regions: Array.from({ length: 30 }, () => hostile),
    takesAnyMemory: false,
    keepsRevisions: false,
    pushesChanges: false,
  };
  const regions = [username, service];
  expectFits(
    whoamiMessage({
      account,
      serviceUrl: service,
      engine,
      region: service,
      jobsRegion: service,
      regions,
      slackUser: username,
      command,
    }),
  );
});

holds("how the bot is invited", fc.tuple(hostileText, hostileText), ([channel, bot]) => {
  expectFits(inviteHint(channel, bot));
});
