import { z } from "zod";
import { pathSafe, isDomainName, requestLimits } from "../../../api/request-limits.ts";
import { isCalendarDay } from "../../views/kit/time.ts";
import { echo } from "./words.ts";

/** The region that was asked for, and the one for jobs. */
export type Regions = { readonly region: string; readonly jobsRegion: string };

const LONGEST_REGION = 100;

/** Whether a region can have this name; only the workload API knows whether there is one. */
export function isRegionName(text: string): boolean {
  return text.length <= LONGEST_REGION && pathSafe(text);
}

export type Kind = "service" | "job";

/** Where a workload is: jobs run in one region only (the API's document, "Limits"), whatever region was asked for. */
export function regionOf<Region extends string | undefined>(
  kind: Kind | undefined,
  region: Region,
  { jobsRegion }: Pick<Regions, "jobsRegion">,
): Region | string {
  return kind === "job" ? jobsRegion : region;
}

/** What a workload is in Kubernetes, as people may name it. Only the workload API knows whether it is one. */
export type ObjectKind = "Deployment" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob";

/** Which workload was meant: `web`, or `service/web` where a job has the same name. `statefulset/db` says what it must be. */
export type Target = {
  readonly kind: Kind | undefined;
  readonly name: string;
  readonly object?: ObjectKind;
};

export type NamedKind = {
  readonly kind: Kind;
  readonly object?: ObjectKind;
  /** In a name: `statefulset/db`. */
  readonly prefix: string;
};

const service: NamedKind = { kind: "service", prefix: "service" };
const job: NamedKind = { kind: "job", prefix: "job" };
const deployment: NamedKind = { kind: "service", object: "Deployment", prefix: "deployment" };
const statefulSet: NamedKind = { kind: "service", object: "StatefulSet", prefix: "statefulset" };
const daemonSet: NamedKind = { kind: "service", object: "DaemonSet", prefix: "daemonset" };
const cronJob: NamedKind = { kind: "job", object: "CronJob", prefix: "cronjob" };

/** As `kubectl` takes them, too. */
const kindWords = new Map<string, NamedKind>([
  ...["service", "services", "svc"].map((word) => [word, service] as const),
  ...["job", "jobs"].map((word) => [word, job] as const),
  ...["deployment", "deployments", "deploy"].map((word) => [word, deployment] as const),
  ...["statefulset", "statefulsets", "sts"].map((word) => [word, statefulSet] as const),
  ...["daemonset", "daemonsets", "ds"].map((word) => [word, daemonSet] as const),
  ...["cronjob", "cronjobs", "cj"].map((word) => [word, cronJob] as const),
]);

/** With an API group, a job is one of Kubernetes. */
const batchJob: NamedKind = { kind: "job", object: "Job", prefix: "job.batch" };

/** The kind that a word names, in any case: `service`, `svc`, `jobs`, `StatefulSet`, `deployments.apps`. */
export function kindNamed(word: string): NamedKind | undefined {
  const [, bare = "", group] = /^([a-z]+)((?:\.v\d\w*)?\.(?:apps|batch))?$/u.exec(word.toLowerCase()) ?? [];
  const named = kindWords.get(bare);
  return named === job && group !== undefined ? batchJob : named;
}

export const missingName = "Name a workload.";

/**
 * `NAME`, `service/NAME` or `job/NAME`; looked up as it is, because a service may hold names that we would not give.
 */
export const Target = z.string({ error: missingName }).transform((typed, context): Target => {
  const slash = typed.indexOf("/");
  const named = kindNamed(typed.slice(0, Math.max(slash, 0)));
  const name = named === undefined ? typed : typed.slice(slash + 1);
  if (name === "") {
    context.addIssue(missingName);
    return z.NEVER;
  }
  if (!pathSafe(name) || name.length > 253) {
    context.addIssue("Not a workload name. Write `web`, `service/web` or `job/web`.");
    return z.NEVER;
  }
  return { kind: named?.kind, name, ...(named?.object !== undefined && { object: named.object }) };
});

/**
 * A whole number as digits or as a form's number; `name` names it in the error. Nothing else counts as a number: an
 * empty word must not become 0 instances.
 */
export function wholeNumber(name: string, { from, to }: { readonly from: number; readonly to: number }) {
  const error = `${name} must be a whole number from ${from} to ${to}.`;
  const digits = z
    .string()
    .regex(/^\d{1,9}$/u)
    .transform(Number);
  return z.union([z.number(), digits], { error }).pipe(z.int({ error }).min(from, { error }).max(to, { error }));
}

/** Lower-cased, without a scheme or a final dot. */
const Domain = z
  .string()
  .transform((typed) =>
    typed
      .toLowerCase()
      .replace(/^https?:\/\//u, "")
      .replace(/[/.]+$/u, ""),
  )
  .refine(isDomainName, {
    error: ({ input }) => `${echo(String(input))} isn't a domain name. Write one like \`shop.example.com\`.`,
  });

/** Domain names without duplicates. */
export const DomainList = z
  .array(Domain)
  .transform((domains) => [...new Set(domains)])
  .pipe(z.array(z.string()).max(requestLimits.domains, `A service takes at most ${requestLimits.domains} domains.`));

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

const amount = String.raw`(\d{1,4}) ?([smhdw])(?:ecs?|ins?|rs?|econds?|inutes?|ours?|ays?|eeks?)?`;
const duration = new RegExp(`^(?:${amount}(?=\\d|$)){1,4}$`, "iu");

/** `90s`, `2h`, `1h30m`, `30 minutes` in milliseconds; undefined for anything else. */
export function durationIn(typed: string): number | undefined {
  if (!duration.test(typed)) return undefined;
  const parts = [...typed.matchAll(new RegExp(amount, "giu"))];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitMs[unit.toLowerCase()] ?? 0), 0);
}

/** The start of a period: milliseconds before now, a UTC day, or one so many days before today. */
export type Since = { readonly ago: number } | { readonly day: Date } | { readonly daysAgo: number };

const days: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };

/** `90s`, `30m`, `1h30m`, `7d`, `2w`, `today`, `yesterday`, or a UTC day such as `2026-11-20`. */
export const Since = z.string().transform((typed, context): Since => {
  const ms = durationIn(typed);
  if (ms !== undefined && ms > 0) return { ago: ms };
  const daysAgo = days[typed.toLowerCase()];
  if (daysAgo !== undefined) return { daysAgo };
  const day = typed.replaceAll(".", "-");
  if (isCalendarDay(day)) return { day: new Date(`${day}T00:00:00Z`) };
  context.addIssue(
    `I can't read the time “${typed}”. Use 30m, 12h, 7d, 2w, today, yesterday or a day such as 2026-11-20.`,
  );
  return z.NEVER;
});

export function sinceMoment(since: Since, now: Date): Date {
  if ("day" in since) return since.day;
  if ("ago" in since) return new Date(now.getTime() - since.ago);
  return new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - since.daysAgo * DAY_MS);
}

/** https://www.crockford.com/base32.html: no I, L, O and U, so that an id can be read out and typed. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ID_LENGTH = 6;

/** An id of a Change as people type it: in any case, with O for 0 and I or L for 1, with or without # and hyphens. */
export const ChangeId = z
  .string({ error: "ID is missing. Find it on the request's card, or with `pending`." })
  .transform((typed, context) => {
    const id = typed.toUpperCase().replaceAll(/[#-]/gu, "").replaceAll("O", "0").replaceAll(/[IL]/gu, "1");
    if (id.length === ID_LENGTH && Array.from(id).every((digit) => DIGITS.includes(digit))) return id;
    context.addIssue(`${echo(typed)} isn't a request ID. IDs have six letters and digits; \`pending\` lists them.`);
    return z.NEVER;
  });
export type ChangeId = z.output<typeof ChangeId>;

/**
 * A new id of 30 random bits; it can be taken already, which the store then refuses. `randomBytes` is `node:crypto`'s.
 */
export function newChangeId(randomBytes: (size: number) => Uint8Array): string {
  return Array.from(randomBytes(ID_LENGTH), (byte) => DIGITS.charAt(byte % DIGITS.length)).join("");
}

/** The form of a time: `7:00`, `7am`, `18`. It also matches times that don't exist, such as 25:00. */
export const TIME = String.raw`\d{1,2}(?::\d{2})?(?: ?[ap]m)?`;

export const isTime = (typed: string): boolean => new RegExp(`^${TIME}$`, "iu").test(typed);

/** `7:00` and `7am` → `07:00`, `24:00` → `00:00`; undefined for a time that doesn't exist. */
export function clockTime(typed: string): string | undefined {
  if (typed === "24:00") return "00:00";
  const [, hours = "", minutes = "00", half] = /^(\d{1,2})(?::([0-5]\d))?(?: ?([ap])m)?$/iu.exec(typed) ?? [];
  const isShown = half === undefined ? /^(?:[01]?\d|2[0-3])$/u.test(hours) : /^(?:0?[1-9]|1[0-2])$/u.test(hours);
  if (!isShown) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${String(hour).padStart(2, "0")}:${minutes}`;
}
