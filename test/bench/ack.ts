import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryKind } from "./delivery.ts";
import { median, medianInterval, percentile, spread, type Interval, type Spread } from "./stats.ts";
import type { Stage, Target } from "./stage.ts";

/** One comparison of the acks of two apps. */
export type AckCase = {
  readonly name: string;
  readonly kind: DeliveryKind;
  /** Sent in turn. */
  readonly texts: readonly string[];
  /** Who sends them; without one a person who acts with the workspace's account. */
  readonly person?: string;
  readonly subject: Target;
  readonly base: Target;
  readonly concurrency: number;
  readonly requests: number;
  /** In how many rounds the requests of a repetition are sent, in turn with those of the other app. */
  readonly rounds: number;
  readonly warmUp: number;
  readonly repetitions: number;
  /** The workload API answers nothing while the commands come in. */
  readonly stalled: boolean;
  /** What has to be so before. */
  readonly prepare?: (stage: Stage, each: AckCase) => Promise<void>;
  /** The most that the p99 may be by the base's; without it the row is told for information. */
  readonly most?: number;
  /** The least that may be answered in a second, by the base; both have to post. */
  readonly least?: number;
};

/** Of the rounds, in turn with those of the base. */
export type Ratio = Interval & { readonly median: number };

export type AckResult = {
  readonly name: string;
  readonly subject: string;
  readonly base: string;
  readonly concurrency: number;
  readonly requests: number;
  readonly rounds: number;
  readonly repetitions: number;
  readonly most?: number;
  readonly least?: number;
  readonly posts: boolean;
  /** Medians over the rounds, in milliseconds. */
  readonly subjectMs: Spread;
  readonly baseMs: Spread;
  /** p99 of the subject by p99 of the base. */
  readonly p99Ratio: Ratio;
  /** The same of all rounds together: one stall of the machine moves it less. */
  readonly pooledP99Ratio: number;
  /** Answered in a second, the messages included, by the base; when both post. */
  readonly rate?: Ratio;
  /** Commands sent to the subject, and how many were answered by a message or by words in the ack. */
  readonly commands: number;
  readonly answered: number;
  /** Messages beyond one per command. */
  readonly doubled: number;
  readonly notOk: number;
};

type Side = "subject" | "base";

const STALL_MS = 10_000;
/** Longer than Gantry tries to read before it says that it could not. */
const QUIET_MS = 20_000;

/** What was sent to one app in one group of commands, and what came of it. */
type Account = {
  readonly group: string;
  sent: number;
  told: number;
  notOk: number;
  messaged: number;
  messages: number;
};

export async function measureAcks(stage: Stage, each: AckCase): Promise<AckResult> {
  await each.prepare?.(stage, each);
  const accounts = [await warmUp(stage, each, "subject")];
  await warmUp(stage, each, "base");
  const repetitions: Record<Side, readonly Round[]>[] = [];
  for (let at = 0; at < each.repetitions; at += 1) {
    const { rounds, account } = await repeat(stage, each, at);
    repetitions.push(rounds);
    accounts.push(account);
  }
  if (each.prepare !== undefined) await stage.api.ask("holds", undefined);
  const p99 = (values: readonly number[]): number => percentile(values, 0.99);
  const all = (side: Side): Round[] => repetitions.flatMap((one) => one[side]);
  const pooled = (side: Side): number[] => all(side).flatMap(({ ackMs }) => ackMs);
  const ratio = (of: (round: Round) => number): Ratio => {
    const base = all("base").map(of);
    const ratios = all("subject").map((round, at) => of(round) / (base[at] ?? Number.NaN));
    return { median: median(ratios), ...medianInterval(ratios) };
  };
  const { most, least } = each;
  const total = (count: (account: Account) => number): number => accounts.map(count).reduce((sum, one) => sum + one, 0);
  return {
    name: each.name,
    subject: each.subject.name,
    base: each.base.name,
    concurrency: each.concurrency,
    requests: each.requests,
    rounds: each.rounds,
    repetitions: each.repetitions,
    ...(most !== undefined && { most }),
    ...(least !== undefined && { least }),
    posts: each.subject.posts,
    subjectMs: typical(all("subject").map(({ ackMs }) => spread(ackMs))),
    baseMs: typical(all("base").map(({ ackMs }) => spread(ackMs))),
    p99Ratio: ratio(({ ackMs }) => p99(ackMs)),
    pooledP99Ratio: p99(pooled("subject")) / p99(pooled("base")),
    ...(each.base.posts && each.subject.posts && { rate: ratio(({ ackMs, wholeMs }) => ackMs.length / wholeMs) }),
    commands: total(({ sent }) => sent),
    answered: total(({ told, messaged }) => told + messaged),
    doubled: total(({ messages, messaged }) => messages - messaged),
    notOk: total(({ notOk }) => notOk),
  };
}

function typical(spreads: readonly Spread[]): Spread {
  return {
    p50: median(spreads.map(({ p50 }) => p50)),
    p90: median(spreads.map(({ p90 }) => p90)),
    p99: median(spreads.map(({ p99 }) => p99)),
  };
}

async function warmUp(stage: Stage, each: AckCase, side: Side): Promise<Account> {
  const account = openAccount();
  await fire(stage, { each, target: each[side], requests: each.warmUp }, account);
  await drain(stage, each[side], account);
  return account;
}

/** A B B A …: whatever drifts on the machine meets both. Every other repetition begins with B. */
function orderOf(rounds: number, repetition: number): readonly Side[] {
  return Array.from({ length: rounds }, (_, at): Side[] =>
    (at + repetition) % 2 === 0 ? ["subject", "base"] : ["base", "subject"],
  ).flat();
}

/** Acks in milliseconds, and how long it took until all messages were there. */
type Round = { readonly ackMs: readonly number[]; readonly wholeMs: number };
type Repetition = { readonly rounds: Record<Side, Round[]>; readonly account: Account };

async function repeat(stage: Stage, each: AckCase, at: number): Promise<Repetition> {
  const accounts = { subject: openAccount(), base: openAccount() };
  const rounds: Record<Side, Round[]> = { subject: [], base: [] };
  const stallEnds = Date.now() + STALL_MS;
  if (each.stalled) await stage.api.ask("stall", true);
  for (const side of orderOf(each.rounds, at)) {
    const target = each[side];
    const startedAt = performance.now();
    const ackMs = await fire(stage, { each, target, requests: each.requests / each.rounds }, accounts[side]);
    // What one app still works off must not slow the other down.
    if (!each.stalled) await drain(stage, target, accounts[side]);
    rounds[side].push({ ackMs, wholeMs: performance.now() - startedAt });
  }
  if (each.stalled) {
    await sleep(Math.max(0, stallEnds - Date.now()));
    await stage.api.ask("stall", false);
    for (const side of ["subject", "base"] as const) await drain(stage, each[side], accounts[side]);
  }
  return { rounds, account: accounts.subject };
}

let groups = 0;

function openAccount(): Account {
  groups += 1;
  return { group: `g${groups}`, sent: 0, told: 0, notOk: 0, messaged: 0, messages: 0 };
}

type Volley = { readonly each: AckCase; readonly target: Target; readonly requests: number };

async function fire(stage: Stage, { each, target, requests }: Volley, account: Account): Promise<readonly number[]> {
  const { kind, texts, person, concurrency } = each;
  const { sinkPort } = stage;
  const { group, sent: first } = account;
  const round = {
    to: target.appToken === undefined ? { port: target.port } : { appToken: target.appToken },
    sinkPort,
    kind,
    texts,
    ...(person !== undefined && { person }),
    group,
    first,
    requests,
    concurrency,
  };
  const result = await stage.load.ask("fire", round);
  Object.assign(account, {
    sent: account.sent + result.sent,
    told: account.told + result.told,
    notOk: account.notOk + result.notOk,
  });
  return result.ackMs;
}

/** Waits until each command of the account has its message, or until no more come. */
async function drain(stage: Stage, target: Target, account: Account): Promise<void> {
  if (!target.posts) return;
  const commands = account.sent - account.told;
  const { group } = account;
  const count = await stage.sink.ask("messaged", { group, commands, quietMs: QUIET_MS });
  Object.assign(account, { messaged: count.commands, messages: count.messages });
}
