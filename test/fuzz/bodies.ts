import { weighted, type Dice } from "./dice.ts";
import { hostileCount, hostileNumber, hostileText, hostileValue } from "./hostile.ts";

/** Creation and update bodies: valid ones, and what becomes of them by a few mutations. */

type Json = { [key: string]: unknown };
type Commands = readonly [Json, ...Json[]];

/** Small programs: a real process is started for each instance. */
const serviceCommands: Commands = [
  { image: "gantry/worker", command: ["--every", "200"] },
  { image: "gantry/hello-web" },
  { image: "gantry/flaky", command: ["--after", "3000"] },
];

const jobCommands: Commands = [
  { image: "gantry/batch", command: ["1", "--delay", "1"] },
  { image: "gantry/batch", command: ["2", "--delay", "100", "--exit", "3"] },
  { image: "gantry/batch:latest", command: ["3", "--delay", "300"] },
];

function container(dice: Dice, commands: Commands): Json {
  return {
    ...dice.pick(commands),
    ...(dice.chance(0.4) && { env: [{ name: "LOG_LEVEL", value: "info" }, { name: "EMPTY" }] }),
    ...(dice.chance(0.3) && { ports: [{ port: 8080, protocol: "TCP" }] }),
    ...(dice.chance(0.3) && { resources: { limits: { memory: dice.pick<number | string>([256, "512", "512Mi"]) } } }),
    ...(dice.chance(0.3) && { volumeMounts: [{ name: "data", mountPath: "/var/lib/data" }] }),
  };
}

function newService(dice: Dice): Json {
  return {
    ...(dice.chance(0.8) && {
      target_instance_size: weighted(dice, [
        [0, 6],
        [1, 3],
        [2, 1],
      ]),
    }),
    containers: Array.from(
      {
        length: weighted(dice, [
          [1, 9],
          [2, 1],
        ]),
      },
      () => container(dice, serviceCommands),
    ),
    ...(dice.chance(0.4) && { port_mappings: [{ container_port: 8080, protocol: "tcp" }] }),
    volumes: [{ name: "data", disk_name: "disk-1", is_read_only: false }],
    ...(dice.chance(0.2) && { sync_timezone: dice.chance(0.5) }),
    ...(dice.chance(0.3) && { binding_domain_name: [`d${dice.below(10_000)}.example.com`] }),
  };
}

function newJob(dice: Dice): Json {
  return { containers: [container(dice, jobCommands)], volumes: [{ name: "data", type: "host" }] };
}

function update(dice: Dice): Json {
  return {
    ...(dice.chance(0.6) && { target_instance_size: dice.below(3) }),
    ...(dice.chance(0.4) && { containers: [{ resources: { limits: { memory: dice.pick([256, "512Mi", 1024]) } } }] }),
    ...(dice.chance(0.3) && { binding_domain_name: [`u${dice.below(10_000)}.example.com`] }),
  };
}

const makers: Readonly<Record<string, (dice: Dice) => Json>> = {
  createService: newService,
  createJob: newJob,
  updateService: update,
};

export type Body = { readonly bytes: Buffer; readonly contentType: string | undefined };

/** A body for an operation; undefined for one that takes none, mostly. */
export function bodyFor(dice: Dice, op: string): Body | undefined {
  const make = makers[op];
  if (make === undefined && dice.chance(0.95)) return undefined;
  const valid = make?.(dice) ?? {};
  if (dice.chance(0.12)) return rawBody(dice, valid);
  const mutations = weighted(dice, [
    [0, 3],
    [1, 5],
    [2, 2],
    [4, 1],
  ]);
  let body: unknown = dice.chance(0.1) ? withMemory(dice, valid) : valid;
  for (let done = 0; done < mutations; done += 1) body = mutated(dice, body);
  const contentType = dice.chance(0.02) ? hostileHeader(dice) : "application/json";
  return { bytes: Buffer.from(JSON.stringify(body) ?? ""), contentType };
}

/** So deep down nothing comes by accident. */
function withMemory(dice: Dice, valid: Json): Json {
  const [first] = Array.isArray(valid["containers"]) ? valid["containers"] : [];
  return { ...valid, containers: [{ ...first, resources: { limits: { memory: hostileValue(dice, "memory") } } }] };
}

function hostileHeader(dice: Dice): string | undefined {
  return dice.pick([undefined, "text/plain", "application/json; charset=latin1", "multipart/form-data", "x"]);
}

/** Changes one place of a value: goes down at random and replaces, removes, repeats or adds something there. */
function mutated(dice: Dice, value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return mutatedArray(dice, value, key);
  if (typeof value !== "object" || value === null) return hostileValue(dice, key);
  const entries = Object.entries(value);
  const [chosen, inner] = entries[dice.below(Math.max(1, entries.length))] ?? ["", undefined];
  return weighted<() => unknown>(dice, [
    [() => ({ ...value, [chosen]: mutated(dice, inner, chosen) }), 8],
    [() => ({ ...value, [chosen]: hostileValue(dice, chosen) }), 4],
    [() => Object.fromEntries(entries.filter(([name]) => name !== chosen)), 1],
    [() => ({ ...value, [dice.chance(0.5) ? `${chosen}s` : hostileText(dice)]: hostileValue(dice) }), 1],
    [() => ({ ...value, ...manyOf(dice, chosen) }), 1],
  ])();
}

function mutatedArray(dice: Dice, items: readonly unknown[], key: string): unknown {
  if (items.length === 0) return [hostileValue(dice, key)];
  const at = dice.below(items.length);
  return weighted<() => unknown>(dice, [
    [() => items.map((item, index) => (index === at ? mutated(dice, item, key) : item)), 8],
    [() => [...items, hostileValue(dice, key)], 1],
    [() => Array.from({ length: repeats(dice, items) }, () => items[at]), 1],
  ])();
}

/** Repeating what starts a process must not start thousands of them while the body is still valid. */
function repeats(dice: Dice, items: readonly unknown[]): number {
  const bytes = JSON.stringify(items).length + 1;
  return Math.min(hostileCount(dice), Math.floor(1_200_000 / bytes));
}

/** Many different ports, domains, variables, volumes: each of them valid. */
function manyOf(dice: Dice, key: string): Json {
  const many = <Item>(item: (index: number) => Item) => Array.from({ length: hostileCount(dice) }, (_, at) => item(at));
  const made: Readonly<Record<string, () => unknown>> = {
    port_mappings: () => many((at) => ({ container_port: at + 1, protocol: "tcp" })),
    binding_domain_name: () => many((at) => `d${at}`),
    env: () => many((at) => ({ name: `V${at}`, value: "x" })),
    ports: () => many((at) => ({ port: at + 1 })),
    volumes: () => many((at) => ({ name: `v${at}`, disk_name: `v${at}` })),
    command: () => many(String),
    target_instance_size: () => hostileNumber(dice),
  };
  // The key may be a made-up one, such as "toString", which every object has.
  const name = !Object.hasOwn(made, key) ? dice.pick(["port_mappings", "binding_domain_name"]) : key;
  return { [name]: made[name]?.() };
}

/** What is no JSON of this form at all. */
function rawBody(dice: Dice, valid: Json): Body {
  const text = JSON.stringify(valid);
  const deep = dice.pick([100, 5_000, 100_000]);
  const bodies: readonly [() => string | Buffer, ...(() => string | Buffer)[]] = [
    () => "",
    () => text.slice(0, dice.below(text.length)),
    () => `\ufeff${text}`,
    () => text.replace(/"/, "'"),
    () => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]),
    () => "[".repeat(deep) + "]".repeat(deep),
    () => '{"a":'.repeat(deep),
    () => "1".repeat(100_000),
    () => JSON.stringify(hostileValue(dice)) ?? "",
    () => `{"__proto__":{"polluted":true},${text.slice(1)}`,
    () => `{"target_instance_size":1,"target_instance_size":1e21,${text.slice(1)}`,
    () => " ".repeat(dice.pick([999_999, 1_000_000, 1_000_001, 1_500_000])),
  ];
  return { bytes: Buffer.from(dice.pick(bodies)()), contentType: "application/json" };
}
