import { routesOf, loadSpec } from "../../src/service/api/contract.ts";
import { bodyFor } from "./bodies.ts";
import { diceFor, weighted, type Dice } from "./dice.ts";
import { hostileNumber, hostileText } from "./hostile.ts";

export type FuzzRequest = {
  readonly op: string;
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
};

export type Account = { readonly username: string; readonly token: string };

export type World = {
  readonly users: readonly [Account, ...Account[]];
  readonly regions: readonly [string, ...string[]];
  /** Names of instances that were seen in answers. */
  readonly instances: readonly string[];
};

const routes = routesOf(loadSpec());
export const operations: readonly string[] = routes.map(({ op }) => op);

/** Changes are met less often than they are asked for: most of them are refused. */
const weights: Readonly<Record<string, number>> = {
  createService: 22,
  createJob: 16,
  updateService: 16,
  getServiceLogs: 8,
  getJobInstanceLogs: 8,
  deleteService: 5,
  deleteJob: 6,
};

const table = routes.map((route) => [route, weights[route.op] ?? 4] as const) as unknown as readonly [
  readonly [(typeof routes)[number], number],
]; // the contract has operations

/** The request with this number, of this seed. */
export function requestNumber(index: number, seed: number, world: World): FuzzRequest {
  const dice = diceFor(seed, index);
  const route = weighted(dice, table);
  const names = { region: region(dice, route.op, world), name: name(dice, route.op), instance: instance(dice, world) };
  const path = route.template
    .replace("{region}", segment(dice, names.region))
    .replace(/\{(job|service)_name\}/, segment(dice, names.name))
    .replace("{instance_name}", segment(dice, names.instance));
  const body = bodyFor(dice, route.op);
  const contentType = body?.contentType;
  return {
    op: route.op,
    method: dice.chance(0.01)
      ? dice.pick(["PATCH", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
      : route.method.toUpperCase(),
    target: path + query(dice, route.op),
    headers: { ...credentials(dice, world), ...(contentType !== undefined && { "Content-Type": contentType }) },
    body: body?.bytes,
  };
}

/** One request in thirty comes from nobody that is known. */
function credentials(dice: Dice, { users }: World): Record<string, string> {
  const { username, token } = dice.pick(users);
  if (dice.chance(0.97)) return { username, Authorization: `token ${token}` };
  return dice.pick<() => Record<string, string>>([
    () => ({}),
    () => ({ username }),
    () => ({ username, Authorization: `Bearer ${token}` }),
    () => ({ username: "nobody", Authorization: `token ${token}` }),
    () => ({ username, Authorization: `token ${"x".repeat(5_000)}` }),
  ])();
}

function region(dice: Dice, op: string, { regions }: World): string {
  if (dice.chance(0.04)) return hostileText(dice);
  return op.includes("Job") ? "us" : dice.pick(regions);
}

function instance(dice: Dice, { instances }: World): string {
  const known = instances[dice.below(Math.max(1, instances.length))];
  return dice.chance(0.1) || known === undefined ? hostileText(dice) : known;
}

/** Few names, so that requests meet what others made. */
function name(dice: Dice, op: string): string {
  if (dice.chance(0.06)) return hostileText(dice);
  return `${op.includes("Job") ? "job" : "web"}-${dice.below(6)}`;
}

/** A part of a path, mostly encoded. A line or an empty part cannot be sent raw. */
function segment(dice: Dice, text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed()).slice(0, 20_000);
  return dice.chance(0.01) && /^[!-~]+$/.test(text) ? text.replaceAll(/[?#]/g, "") : encoded;
}

function query(dice: Dice, op: string): string {
  if (!op.includes("Logs"))
    return dice.chance(0.02) ? `?${encodeURIComponent(hostileText(dice).toWellFormed())}=1` : "";
  const parts: string[] = [];
  const add = (key: string, value: unknown) => parts.push(`${key}=${encodeURIComponent(String(value).toWellFormed())}`);
  if (dice.chance(0.4)) add("from", dice.chance(0.5) ? dice.below(50) : hostileNumber(dice));
  if (dice.chance(0.4)) add("size", dice.chance(0.5) ? dice.below(1_001) : hostileNumber(dice));
  if (dice.chance(0.3))
    add("date", dice.pick(["2026.11.22", "2026.2.30", "0000.0.0", "9999.12.31", hostileText(dice)]));
  if (dice.chance(0.05)) add(dice.pick(["from", "size", "date", "x"]), hostileText(dice));
  return parts.length === 0 ? "" : `?${parts.join("&").slice(0, 20_000)}`;
}
