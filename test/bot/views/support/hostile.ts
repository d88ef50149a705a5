import { asRead } from "../../../support/as-read.ts";
import fc from "fast-check";
import { Job, Service } from "../../../../src/api/workload-shapes.ts";

// Cheap on purpose: pieces put together, and long texts by repetition, so that 10,000 cases of a view take seconds.

const pieces = [
  ..."a|web|-|.|:8080| |`|``*|*bold*|_|~|&|&lt;|<|>|<!channel>|<!here|@channel|@HERE|@everyone|<@U0DANA>|<#C0OPS|ops>".split(
    "|",
  ),
  ..."<https://evil.example¦here>|https://evil.example|:smile:|[x](http://evil.example)|\\|\"|'|%|{date}|[redacted]".split(
    "|",
  ),
  ..."\u202e|\u2066|\u200b|\ufeff|\u0000|\u0007|\u001b[31m|\n|\r|\t|\u0085|\ud83d|\ude00|😀|👨‍👩‍👧‍👦|é|é|ก็็็|🏴󠁧󠁢󠁥󠁮󠁧󠁿|日本|\u2028".split(
    "|",
  ),
];
/** The longest, and those that grow when they are escaped or written as JSON. */
export const long = [
  "x".repeat(255),
  "<!channel>".repeat(26),
  "&".repeat(5000),
  "👨‍👩‍👧‍👦".repeat(40),
  '"\\'.repeat(4000),
  "é".repeat(3000),
];

export const hostileText = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((all) => all.join("")) },
  { weight: 1, arbitrary: fc.constantFrom(...long) },
);

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null, freq: 5 });
const count = fc.constantFrom<unknown>(0, 1, 3, -1, 1.5, 1e21, "7", null, "many", Number.NaN);
const moment = fc.oneof(
  fc.constantFrom("2026-11-20T10:00:00Z", "1969-01-01T00:00:00Z", "+275760-09-13T00:00:00.000Z", "never", null),
  hostileText,
);

/** 0 to 2 different items, now and then repeated into a long list. */
function listed<Item>(item: fc.Arbitrary<Item>, most = 6) {
  const some = fc.tuple(fc.array(item, { maxLength: 2 }), fc.constantFrom(1, 1, 1, 1, 1, most));
  return maybe(some.map(([items, times]) => Array.from({ length: times }, () => items).flat()));
}

const container = fc.record({
  name: maybe(hostileText),
  image: maybe(hostileText),
  command: listed(hostileText),
  env: listed(hostileText.map((name) => ({ name, value: "SECRETVALUE" }))),
  ports: listed(fc.record({ container_port: count, protocol: maybe(hostileText) })),
  resources: fc.record({ limits: maybe(fc.record({ memory: fc.oneof(count, hostileText), cpu: maybe(hostileText) })) }),
  volumeMounts: listed(fc.record({ name: hostileText, mountPath: hostileText })),
});

const rawService = fc.record({
  region: maybe(hostileText),
  uid: maybe(hostileText),
  name: hostileText,
  created_at: moment,
  status: maybe(hostileText),
  target_instance_size: count,
  containers: listed(container),
  port_mappings: listed(
    fc.record({ service_url: maybe(hostileText), container_port: count, protocol: maybe(hostileText) }),
  ),
  volumes: listed(fc.record({ name: hostileText, disk_name: maybe(hostileText), is_read_only: fc.boolean() })),
  default_domain_name: maybe(hostileText),
  binding_domain_name: listed(hostileText, 100),
});

const condition = fc.record({
  type: fc.oneof(fc.constantFrom("Complete", "Failed"), hostileText),
  status: fc.constantFrom("True", "False", null),
  reason: maybe(hostileText),
  message: maybe(hostileText),
});

const rawJob = fc.record({
  instance_names: listed(hostileText, 100),
  metadata: fc.record({ name: hostileText, uid: maybe(hostileText), creationTimestamp: moment }),
  spec: maybe(
    fc.record({
      completions: count,
      template: maybe(
        fc.record({
          spec: maybe(fc.record({ volumes: listed(fc.record({ name: hostileText })), containers: listed(container) })),
        }),
      ),
    }),
  ),
  status: maybe(
    fc.record({
      conditions: listed(condition),
      startTime: moment,
      completionTime: moment,
      active: count,
      failed: count,
      succeeded: count,
    }),
  ),
});

/** As the client hands them on: parsed as leniently as it does. */
export const hostileService = rawService.map((raw) => asRead(Service.safeParse(raw).data ?? { name: "-" }));
export const hostileJob = rawJob.map((raw) => asRead(Job.safeParse(raw).data ?? { metadata: { name: "-" } }));
