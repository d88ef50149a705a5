import type { Mutant } from "./mutants.ts";

const compared = ["test/bot/watch/compare.test.ts"];
const replayed = ["test/bot/changes/replay.test.ts"];
const due = ["test/bot/watch/due.test.ts"];
const cards = ["test/bot/views/incident-card.test.ts"];
const stored = ["test/bot/store/on-sqlite.test.ts"];
const incidents = ["test/flows/watching/incidents.test.ts"];
const toldOnce = ["test/flows/watching/service-told-once.test.ts"];
const speakers = ["test/bot/watch/speaker.test.ts"];

export const watchingMutants: readonly Mutant[] = [
  {
    bug: "everybody waits while thousands that fail at once are compared",
    file: "src/bot/watch/compare.ts",
    text: "await forEachInTurns(seen, (found) => {",
    becomes: "seen.forEach((found) => {",
    tests: compared,
  },
  {
    bug: "the card of a rollout doesn't say how often its new instances crashed",
    file: "src/bot/changes/workload-health.ts",
    text: "[facts, reason && brief(reason, LONGEST_REASON)]",
    becomes: "[reason && brief(reason, LONGEST_REASON)]",
    tests: replayed,
  },
  {
    bug: "a watch goes on saying that a workload fails which its card calls well",
    file: "src/bot/watch/compare.ts",
    text: 'return level === "healthy" && cause !== "job-failed" ? "recovered" : undefined;',
    becomes: 'return level === "idle" && cause !== "job-failed" ? "recovered" : undefined;',
    tests: replayed,
  },
  {
    bug: "a second failure of its own is an edit of the first one's message",
    file: "src/bot/store/alerts.ts",
    text: "and (select count(*) from notice where notice.alert_id = alert.id) >= ${sql.lit(STORM)}`;",
    becomes: "`;",
    tests: stored,
  },
  {
    bug: "the thread hears of each time that something flaps",
    file: "src/bot/workflow/watching/alert-post.ts",
    text: "const isFlapping = times > MOST_TOLD * incidents.length;",
    becomes: "const isFlapping = false;",
    tests: incidents,
  },
  {
    bug: "a rollout that its card tells of is an incident, too",
    file: "src/bot/workflow/watching/observer.ts",
    text: "const seen = await withoutOwnRollouts(store, { round, listed, incidents: ofWorkloads });",
    becomes: "const { seen } = listed;",
    tests: ["test/flows/watching/health-trouble.test.ts"],
  },
  {
    bug: "a watch tells that a service fails beside the card of the request that broke it",
    file: "src/bot/workflow/watching/notify.ts",
    text: 'if (speaker === "card") return { kind: "drop" };',
    becomes: 'if (speaker === "card") return wanted;',
    tests: toldOnce,
  },
  {
    bug: "a card sees what its watch sees only at its own next poll",
    file: "src/bot/workflow/watching/observer.ts",
    text: "if (taken.length > 0) followWith(",
    becomes: "if (taken.length > 1) followWith(",
    tests: toldOnce,
  },
  {
    bug: "the card of another channel silences a watch",
    file: "src/bot/watch/speaker.ts",
    text: "changes.filter(({ change }) => isIn(place, change) && mayBeOf(change, incident));",
    becomes: "changes.filter(({ change }) => mayBeOf(change, incident));",
    tests: speakers,
  },
  {
    bug: "a card silences the watch of what failed before it, came back, or has its name",
    file: "src/bot/watch/speaker.ts",
    text: "changes.filter(({ change }) => isIn(place, change) && mayBeOf(change, incident));",
    becomes: "changes.filter(({ change }) => isIn(place, change));",
    tests: speakers,
  },
  {
    bug: "a card that is followed no more silences the watch of a later failure",
    file: "src/bot/watch/speaker.ts",
    text: "return !isLast || openedAt.getTime() - settledAt.getTime() - afterMs <= CARD_WITHIN_MS;",
    becomes: "return isLast || true;",
    tests: speakers,
  },
  {
    bug: "a card that tells nothing silences its watch for good",
    file: "src/bot/watch/speaker.ts",
    text: " || waitedMs > CARD_WITHIN_MS) return",
    becomes: ") return",
    tests: speakers,
  },
  {
    bug: "nobody tells that it is well again once the card is followed no more",
    file: "src/bot/watch/speaker.ts",
    text: 'if (end === "recovered") return health === undefined && progress?.recovered === true;',
    becomes: "",
    tests: speakers,
  },
  {
    bug: "a watch doesn't find the card of a request for several workloads",
    file: "src/bot/store/find-change.ts",
    text: "post.id = coalesce(change.part_of, change.id)`",
    becomes: "post.id = change.id`",
    tests: stored,
  },
  {
    bug: "the size that an autoscaler sets is an event",
    file: "src/bot/watch/compare.ts",
    text: " && now.isAutoscaled !== true && before.isAutoscaled !== true;",
    becomes: ";",
    tests: compared,
  },
  {
    bug: "that the workload API takes no more calls is told to nobody",
    file: "src/bot/workflow/watching/observer.ts",
    text: "(status === 429 && round.failures === 0);",
    becomes: "status === 429;",
    tests: incidents,
  },
  {
    bug: "events of the API make rounds beyond the calls of a day",
    file: "src/bot/workflow/watching/observer.ts",
    text: "const mayListen = settings.watchCallsPerDay === undefined;",
    becomes: "const mayListen = settings !== undefined;",
    tests: ["test/flows/watching/pushed.test.ts"],
  },
  {
    bug: "quiet hours end an hour early or late when clocks change",
    file: "src/bot/watch/due.ts",
    text: "return ends > now ? ends : new Date(ends.getTime() + HOUR_MS);",
    becomes: "return new Date(now.getTime() - (now.getTime() % 60_000) + ((end - at + 1_440) % 1_440) * 60_000);",
    tests: due,
  },
  {
    bug: "a registry that is away makes a service red",
    file: "src/api/workload-status.ts",
    text: 'const level = mayPass(before, text) && !isFailing ? "busy" : "failing";',
    becomes: 'const level = before === "unschedulable" && !isFailing ? "busy" : "failing";',
    tests: ["test/api/workload-status.test.ts"],
  },
  {
    bug: "the last lines are of an instance that was replaced",
    file: "src/bot/changes/read-workload.ts",
    text: "const left = lines.filter(isPresent);",
    becomes: "const left = lines.filter((line) => isPresent(line) || true);",
    tests: ["test/bot/changes/health.test.ts"],
  },
  {
    bug: "the last lines of an incident are of an instance that is gone",
    file: "src/bot/workflow/watching/alert-post.ts",
    text: "present: presentIn(read) };",
    becomes: "present: presentIn({}) };",
    tests: incidents,
  },
  {
    bug: "the instances of an incident are asked of an API that doesn't name them",
    file: "src/bot/workflow/watching/alert-post.ts",
    text: 'if (workload.kind === "service" && (await deps.api.engine()) === undefined) return {};',
    becomes: "",
    tests: incidents,
  },
  {
    bug: "what a card says of trouble keeps the time of the first trouble",
    file: "src/bot/changes/health.ts",
    text: "return { ...seen, line: joined(seen.line, why), excerpt, watch, stuck };",
    becomes:
      "return { ...seen, line: joined(seen.line, why), afterMs: (known ?? seen).afterMs, excerpt, watch, stuck };",
    tests: ["test/bot/changes/health.test.ts"],
  },
  {
    bug: "a service that fails keeps crashing by restarts of long ago",
    file: "src/api/workload-status.ts",
    text: "const mayBeRecent = isFailing && restarts?.count !== 0;",
    becomes: "const mayBeRecent = isFailing;",
    tests: ["test/api/workload-status.test.ts"],
  },
  {
    bug: "what a list leaves out counts as deleted",
    file: "src/bot/watch/compare.ts",
    text: "if (!isComplete || before === undefined) return",
    becomes: "if (before === undefined) return",
    tests: compared,
  },
  {
    bug: "an incident that comes back soon is another one",
    file: "src/bot/watch/compare.ts",
    text: "return overAt !== undefined && now.getTime() - overAt.getTime() <= FLAPPING_MS;",
    becomes: "return false;",
    tests: compared,
  },
  {
    bug: "a schedule has got over a failed run as soon as the next one begins",
    file: "src/bot/watch/compare.ts",
    text: 'return level === "healthy" && cause !== "job-failed" ? "recovered" : undefined;',
    becomes: 'return level === "healthy" ? "recovered" : undefined;',
    tests: compared,
  },
  {
    bug: "what was over quickly is told",
    file: "src/bot/watch/due.ts",
    text: "const isShort = overAt !== undefined && overAt <= countsAt && times === 1;",
    becomes: "const isShort = false;",
    tests: due,
  },
  {
    bug: "several that are gone count as recovered",
    file: "src/bot/views/cards/incident-card.ts",
    text: 'incidents.every(({ end }) => end === "recovered") ? "🟢" : "⚪️"',
    becomes: '"🟢"',
    tests: cards,
  },
  {
    bug: "two replicas tell the same in two messages",
    file: "src/bot/store/alerts.ts",
    text: "const rest = await joined(inside, { placing: { ...placing, tell: await unplaced(inside.db, placing) }, put });",
    becomes: "const rest = tell;",
    tests: stored,
  },
];
