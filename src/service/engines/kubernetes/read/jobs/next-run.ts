import { Cron } from "croner";

export type Schedule = {
  readonly schedule: string;
  /** Of the controller manager if undefined, which nobody can ask; most keep UTC. */
  readonly timeZone: string | undefined;
};

/** Longer ones are nobody's. */
const LONGEST = 200;
/** https://pkg.go.dev/github.com/robfig/cron/v3#hdr-Predefined_schedules */
const NAMED: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/**
 * When a CronJob runs next, as an ISO time; computed in UTC without a time zone. Undefined for a schedule that Kubernetes and
 * this may read differently, and for one that never runs again.
 */
export function nextRun({ schedule, timeZone = "UTC" }: Schedule, now: Date): string | undefined {
  const pattern = patternOf(schedule.trim());
  if (pattern === undefined) return undefined;
  try {
    return new Cron(pattern, { timezone: timeZone }).nextRun(now)?.toISOString();
  } catch {
    return undefined;
  }
}

/** Kubernetes takes five fields. `?` means any value there, and the present one to croner. */
function patternOf(schedule: string): string | undefined {
  if (schedule.length > LONGEST) return undefined;
  if (schedule.startsWith("@")) return NAMED.has(schedule) ? schedule : undefined;
  const fields = schedule.replaceAll("?", "*").split(/\s+/u);
  const [, , dayOfMonth = "", , dayOfWeek = ""] = fields;
  if (fields.length !== 5 || fields.some((field) => /[LW#+]/u.test(field.replaceAll(/[A-Za-z]{3}/gu, "")))) {
    return undefined;
  }
  // With a step, Kubernetes wants both days to match, and croner one of them.
  const isStepped = [dayOfMonth, dayOfWeek].some((field) => field.startsWith("*/"));
  return isStepped && dayOfMonth !== "*" && dayOfWeek !== "*" ? undefined : fields.join(" ");
}
