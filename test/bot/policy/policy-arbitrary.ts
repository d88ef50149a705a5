import fc from "fast-check";
import { operationFacts } from "../../../src/bot/policy/operation-facts.ts";
import type { Policy, RuleActions, Rule, RuleEnd, Question, Terms } from "../../../src/bot/policy/policy.ts";

// Few words of each sort, so that rules and questions often meet.
const groups = ["S0AAA", "S0BBB"];
const risks = ["routine", "disruptive", "destructive"] as const;
const ops = Object.keys(operationFacts) as Question["op"][]; // the table is total by type
const writes = ops.filter((op) => operationFacts[op].effect === "write");

const some = <Item>(items: readonly Item[]) =>
  fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength: 3 });
const maybeSome = <Item>(items: readonly Item[]) => fc.option(some(items), { nil: undefined, freq: 2 });

const terms: Terms = {
  votes: 1,
  from: { users: [], groups: [], channelMembers: true },
  selfApproval: false,
  reasonRequired: false,
  expiresMs: 60_000,
  cardIn: undefined,
  mention: "nobody",
};

const reading: readonly RuleActions[] = ["read", "anything", "getService", "getJob", "listServices", "watch"];
const writing: readonly RuleActions[] = [
  ...risks,
  "deleteService",
  "deleteJob",
  "updateService",
  "deploy",
  "bindChannel",
];

const endAndDeeds: fc.Arbitrary<{ end: RuleEnd; does: RuleActions[] }> = fc.oneof(
  fc.record({
    end: fc.constantFrom<RuleEnd>({ kind: "allow" }, { kind: "refuse", say: undefined }),
    does: some([...reading, ...writing]),
  }),
  // As the file's reader has it: reading neither waits nor breaks glass.
  fc.record({
    end: fc.constantFrom<RuleEnd>({ kind: "approve", terms }, { kind: "break-glass" }),
    does: some(writing),
  }),
);

const rule = fc
  .tuple(
    endAndDeeds,
    fc.record({
      who: some(["members", "guests", "everyone", "U0DANA", ...groups]),
      where: maybeSome(["dm", "channels", "C0OPS"]),
      kinds: maybeSome(["service", "job"] as const),
      names: maybeSome(["web", "web-*", "*"]),
      regions: maybeSome(["us", "beijing*"]),
      accounts: maybeSome(["ops", "dana"]),
      images: maybeSome(["nginx", "registry.example.com/shop/*", "*"]),
      limits: fc.constantFrom(
        undefined,
        { instances: 3, memoryMiB: undefined, growth: undefined },
        { instances: 10, memoryMiB: 512, growth: undefined },
        { instances: undefined, memoryMiB: undefined, growth: 3 },
      ),
    }),
  )
  .map(([one, { images, limits, ...other }]) => {
    // As the file's reader has it: only changes of workloads run something, and no rule refuses what is small.
    const runs = one.does.every((word) => writing.includes(word) && word !== "bindChannel");
    const isRefusal = one.end.kind === "refuse";
    return { ...one, ...other, images: runs ? images : undefined, limits: runs && !isRefusal ? limits : undefined };
  });

/** Any policy that a file can hold. */
export const anyPolicy: fc.Arbitrary<Policy> = fc.array(rule, { maxLength: 8 }).map((rules) => ({
  source: "policy.yaml",
  rules: rules.map((each, at): Rule => ({ ...each, name: `rule ${at}`, line: at + 1 })),
}));

type Membership = Readonly<Record<string, boolean | "unknown">>;

/** A question as plain data, so that one can tell what is not known of it, and put something in its place. */
export type Facts = Omit<Question, "person"> & {
  readonly standing: Question["person"]["standing"];
  readonly membership: Membership;
};

/** Each image, each size below, between and above the limits. */
export const footprints = (
  [
    ["nginx:1", 256, 3],
    ["registry.example.com/shop/web:2", 512, 10],
    ["shop/web", 1024, 20],
  ] as const
).map(([image, memoryMiB, instances]) => ({ containers: [{ image, memoryMiB }], instances, grownFrom: 2 }));

export function questionFrom({ standing, membership, ...rest }: Facts): Question {
  const inGroup = (id: string) => membership[id] ?? false;
  return { ...rest, person: { userId: "U0DANA", name: "Dana", standing, inGroup } };
}

const member = fc.constantFrom<boolean | "unknown">(true, false, "unknown");
const base = fc.record({
  standing: fc.constantFrom<Facts["standing"]>("member", "guest", "outsider", "bot", "deactivated"),
  membership: fc.record({ S0AAA: member, S0BBB: member }),
  where: fc.constantFrom<Question["where"]>(
    { kind: "dm", channelId: "D0DANA" },
    { kind: "channel", channelId: "C0OPS" },
    { kind: "channel", channelId: "C0GENERAL" },
  ),
  workload: fc.record({
    kind: fc.constantFrom(undefined, "service" as const, "job" as const),
    region: fc.constantFrom(undefined, "us", "beijing1"),
    name: fc.constantFrom(undefined, "web", "web-1", "db"),
  }),
  account: fc.constantFrom(undefined, "ops", "dana"),
  breakGlass: fc.boolean(),
  footprint: fc.constantFrom(undefined, ...footprints),
});

/**
 * Any question that is right in itself: a read has no risk, an operation on jobs is not about a service, and a binding is
 * about no workload and done with no account.
 */
export const anyFacts: fc.Arbitrary<Facts> = fc
  .tuple(base, fc.constantFrom(...ops, ...writes), fc.constantFrom(undefined, ...risks))
  .map(([facts, op, risk]) => {
    const { effect, kind, twin } = operationFacts[op];
    const isKindKnown = twin === undefined || facts.workload.kind !== undefined;
    const isBinding = op === "bindChannel";
    return {
      ...facts,
      op,
      risk: effect === "read" ? undefined : risk,
      account: isBinding ? undefined : facts.account,
      footprint: runsSomething(op) ? facts.footprint : undefined,
      workload: {
        ...facts.workload,
        // Watching may be about either kind, or both.
        kind: op === "watch" ? facts.workload.kind : isKindKnown ? kind : undefined,
        name: isBinding ? undefined : facts.workload.name,
      },
    };
  });

function runsSomething(op: Facts["op"]): boolean {
  return operationFacts[op].effect === "write" && op !== "bindChannel";
}

/** All that may be the case where something is not known. */
export function worldsOf(facts: Facts): Facts[] {
  const { op, risk, workload, membership, account } = facts;
  const { twin, effect } = operationFacts[op];
  const meant = workload.kind === undefined && twin !== undefined ? [op, twin] : [op];
  const hurts = risk === undefined && effect === "write" ? risks : [risk];
  const isBinding = op === "bindChannel";
  const names = isBinding ? [undefined] : ["web", "web-1", "db"];
  const owners = isBinding ? [undefined] : ["ops", "dana", "other"];
  const kinds = op === "watch" && workload.kind === undefined ? (["service", "job"] as const) : [workload.kind]; // literal kinds
  const bools = (is: boolean | "unknown" | undefined) => (is === "unknown" ? [true, false] : [is ?? false]);
  const runs = runsSomething(op) && facts.footprint === undefined ? footprints : [facts.footprint];
  const worlds: Facts[] = [];
  for (const each of meant)
    for (const watched of kinds)
      for (const risk of hurts)
        for (const region of workload.region === undefined ? ["us", "beijing1", "elsewhere"] : [workload.region])
          for (const name of workload.name === undefined ? names : [workload.name])
            for (const owner of account === undefined ? owners : [account])
              for (const footprint of runs)
                for (const S0AAA of bools(membership["S0AAA"]))
                  for (const S0BBB of bools(membership["S0BBB"]))
                    worlds.push({
                      ...facts,
                      op: each,
                      risk,
                      workload: { kind: each === "watch" ? watched : operationFacts[each].kind, region, name },
                      account: owner,
                      footprint,
                      membership: { S0AAA, S0BBB },
                    });
  return worlds;
}
