import { describe, expect, test } from "vitest";
import type { Job, Service } from "../../../../src/api/answers.ts";

import { defaultPolicy, readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { report, service } from "../../views/support/workloads.ts";
import { proposalTo } from "../support/script.ts";
import { underPolicy } from "../support/under-policy.ts";

const all = "does: [routine, disruptive, destructive]";
const rules = (text: string) => readPolicy(`rules:\n${text}`, "policy.yaml");
const read = "  - { name: look, who: members, does: read, then: allow }";
const asks = `  - { name: asks, who: members, ${all}, then: { approve: {} } }`;

/** What a rule is about, and what each of them has to say of a workload that breaks it. */
const policies = {
  "an image that is refused": rules(`${read}
  - { name: no miners, who: everyone, ${all}, images: evil/*, then: refuse }
  - { name: rest, who: members, ${all}, then: allow }`),
  "an image that needs an approval": rules(`${read}
  - { name: ours, who: members, ${all}, images: shop/*, then: allow }
${asks}`),
  "too much memory": rules(`${read}
  - { name: small, who: members, ${all}, limits: { memory: 1Gi }, then: allow }
${asks}`),
} as const;
type Rule = keyof typeof policies;

type Container = { readonly name: string; readonly image?: string; readonly resources?: object };
const limit = (memory: string) => ({ resources: { limits: { memory } } });
const breaking: Readonly<Record<Rule, object>> = {
  "an image that is refused": { image: "evil/miner:1" },
  "an image that needs an approval": { image: "other/web:1" },
  "too much memory": limit("8192"),
};
const strictly: Readonly<Record<Rule, string>> = {
  "an image that is refused": "refuse",
  "an image that needs an approval": "approve",
  "too much memory": "approve",
};

const places = ["main", "second", "sidecar", "init"] as const;
type Place = (typeof places)[number];

/** Four containers of 64 MiB, of which the one in this place is different. */
function containers(place?: Place, more: object = {}) {
  const [web, proxy, mesh, migrate] = places.map((each): Container => ({
    name: each,
    image: `shop/${each}:1`,
    ...limit("64"),
    ...(each === place && more),
  }));
  return { containers: [web, proxy], init_containers: [migrate, mesh], sidecars: [mesh] };
}

function town(place?: Place, more?: object) {
  const { containers: own, ...others } = containers(place, more);
  const images = [...own, ...others.init_containers].map((each) => each?.image ?? "");
  const revisions = [
    { revision: 2, images, is_current: true },
    { revision: 1, images, outcome: "done" },
  ];
  const fields = { containers: own, ...others, target_instance_size: 2, revision: 2, revisions } as Partial<Service>; // of this API
  const job = (name: string, schedule?: object): Job =>
    ({
      ...report,
      metadata: { name, uid: `u-${name}` },
      spec: { parallelism: 1, template: { spec: { containers: own } } },
      ...others,
      ...(schedule && { schedule }),
    }) as Job; // of this API
  return {
    services: [service("web", fields), service("halted", { ...fields, status: "Stopped" })],
    jobs: [job("batch"), job("nightly", { cron: "0 2 * * *" })],
    engine: { title: "Test", regions: [], takesAnyMemory: true, keepsRevisions: true, pushesChanges: true },
  };
}

async function verdictOn(words: string, rule: Rule, script: ReturnType<typeof town>): Promise<string> {
  const proposal = await proposalTo(words, underPolicy(policies[rule], {}, script));
  if (proposal.kind === "refused") return "refuse";
  return proposal.kind === "proposed" ? proposal.verdict.kind : proposal.kind;
}

/** Each change keeps its containers, but for the first one that a deploy and a memory limit are about. */
const changes = [
  "scale web 4",
  "scale web 1",
  "memory web 65 --container main",
  "deploy web shop/web:2 --container main",
  "env web --set LEVEL=info --container main",
  "rollback web 1",
  "restart web",
  "stop web",
  "start halted",
  "domains web add x.example.org",
  "delete service/web",
  "delete job/batch",
  "run nightly",
];

describe.each(Object.keys(policies) as Rule[])("policy sees %s", (rule) => {
  // its keys
  test.each(places)("of the container that is %s, whatever is done with the workload", async (place) => {
    const script = town(place, breaking[rule]);
    const isMemory = rule === "too much memory";
    const expected = (words: string): string => {
      // What is replaced no longer counts; and a revision doesn't tell how much memory it had.
      const isReplaced = place === "main" && words.startsWith(isMemory ? "memory" : "deploy");
      return isReplaced ? "allow" : strictly[rule];
    };

    const found = await Promise.all(changes.map(async (words) => [words, await verdictOn(words, rule, script)]));

    expect(found).toEqual(changes.map((words) => [words, expected(words)]));
  });

  test("nowhere, where all containers keep the rule", async () => {
    const found = await Promise.all(changes.map(async (words) => [words, await verdictOn(words, rule, town())]));

    const unknown = rule === "too much memory" ? "approve" : "allow";
    expect(found).toEqual(changes.map((words) => [words, words.startsWith("rollback") ? unknown : "allow"]));
  });
});

test.each<[string, Rule, string]>([
  ["create service new --image evil/miner", "an image that is refused", "refuse"],
  ["create job new --image evil/miner", "an image that is refused", "refuse"],
  ["create service new --image shop/web", "an image that is refused", "allow"],
  ["create service new --image other/web", "an image that needs an approval", "approve"],
  ["create job new --image shop/web", "an image that needs an approval", "allow"],
  ["create service new --image shop/web --memory 2Gi", "too much memory", "approve"],
  ["create service new --image shop/web --memory 1Gi", "too much memory", "allow"],
  ["create job new --image shop/web", "too much memory", "approve"],
])("of what is created: %s, with a rule about %s", async (words, rule, verdict) => {
  expect(await verdictOn(words, rule, town())).toBe(verdict);
});

describe("a memory limit of a rule", () => {
  const over = async (place: Place | undefined, more: object) =>
    verdictOn("restart web", "too much memory", town(place, more));

  test.each(places)(
    "isn't kept by a container without a limit, nor by one whose limit isn't known: %s",
    async (place) => {
      expect(await over(place, limit("0"))).toBe("approve");
      expect(await over(place, { resources: {} })).toBe("approve");
    },
  );

  test("is about what runs at once: an init container has ended when the others start", async () => {
    expect(await over("init", limit("1024"))).toBe("allow");
    expect(await over("sidecar", limit("1024"))).toBe("approve");
    // A sidecar that started before it runs beside it.
    const [web] = town("init", limit("1000")).services;
    const init_containers = web?.init_containers?.toReversed();
    const services = web === undefined ? [] : [{ ...web, init_containers }];
    expect(await verdictOn("restart web", "too much memory", { ...town(), services })).toBe("approve");
  });

  test("is about the limit of an instance as a whole, where it has one", async () => {
    const script = town("main", limit("0"));
    const services = script.services.map((each) => ({ ...each, instance_memory: "512" }));
    const jobs = script.jobs.map((each) => ({ ...each, instance_memory: "512" }));

    for (const words of ["restart web", "start halted", "scale web 4"]) {
      expect(await verdictOn(words, "too much memory", { ...script, services })).toBe("allow");
    }
    expect(await verdictOn("run nightly", "too much memory", { ...script, jobs })).toBe("allow");
  });

  test("counts a sidecar that isn't among the init containers, or is there without its memory", async () => {
    const { services } = town("sidecar", limit("8192"));
    const alone = services.map((each) => ({ ...each, init_containers: undefined }));
    const bare = services.map((each) => ({
      ...each,
      init_containers: each.init_containers?.map(({ name, image }) => ({ name, image })),
    }));

    expect(await verdictOn("restart web", "too much memory", { ...town(), services: alone })).toBe("approve");
    const [web, halted] = bare;
    const small = [web, halted].flatMap((each) =>
      each === undefined ? [] : [{ ...each, sidecars: town().services[0]?.sidecars }],
    );
    expect(
      await proposalTo("restart web", underPolicy(policies["too much memory"], {}, { ...town(), services: small })),
    ).toMatchObject({
      about: { footprint: { containers: [{}, {}, { memoryMiB: undefined }, { memoryMiB: 64, init: "runs on" }] } },
    });
  });

  test("isn't known to be kept where only sidecars are reported", async () => {
    const services = town().services.map((each) => ({ ...each, containers: undefined }));

    expect(await verdictOn("restart web", "too much memory", { ...town(), services })).toBe("approve");
    expect(await verdictOn("restart web", "an image that needs an approval", { ...town(), services })).toBe("approve");
    const jobs = town().jobs.map((each) => ({
      ...each,
      spec: { ...each.spec, template: { spec: { containers: [] } } },
    }));
    expect(await verdictOn("run nightly", "an image that needs an approval", { ...town(), jobs })).toBe("approve");
  });
});

test.each([
  ["scale web 10", "allow", undefined],
  ["scale web 11", "approve", "2 → 11 instances is a big step: needs approval"],
  ["scale web 500", "approve", "2 → 500 instances is a big step: needs approval"],
  ["scale wide 120", "allow", undefined],
  ["scale wide 121", "approve", "40 → 121 instances is a big step: needs approval"],
  ["scale wide 20", "approve", undefined],
  ["create service new --image shop/main --instances 10", "allow", undefined],
  ["create service new --image shop/main --instances 11", "approve", "11 instances is a big step: needs approval"],
  ["rollback wide 1", "allow", undefined],
  ["domains wide add x.example.org", "allow", undefined],
  ["domains unsized add x.example.org", "allow", undefined],
  ["start large", "allow", undefined],
  ["run nightly", "allow", undefined],
])("by the built-in policy, a step far above what runs asks first: %s", async (words, kind, why) => {
  const { services, ...script } = town();
  const [web = service("web"), halted = web] = services;
  const sized = [
    { ...web, name: "wide", target_instance_size: 40 },
    { ...web, name: "unsized", target_instance_size: undefined },
    { ...halted, name: "large", target_instance_size: 400 },
  ];
  const proposal = await proposalTo(
    words,
    underPolicy(defaultPolicy, {}, { ...script, services: [...services, ...sized] }),
  );

  expect(proposal).toMatchObject({ kind: "proposed", verdict: { kind } });
  const last = proposal.kind === "proposed" ? proposal.change.diff.at(-1) : undefined;
  if (why === undefined) expect(last).not.toContain("big step");
  else expect(last).toBe(why);
});
