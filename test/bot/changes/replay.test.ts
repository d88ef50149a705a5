import { expect, test } from "vitest";
import { AT_REST, brief, statusSentence } from "../../../src/api/workload-status.ts";
import type { OperationId } from "../../../src/api/operations.ts";
import type { Change, Outcome } from "../../../src/bot/changes/change.ts";
import { serviceSnapshot } from "../../../src/bot/changes/updatable-fields.ts";
import { changeCard } from "../../../src/bot/views/cards/change-card.ts";
import { incidentCard } from "../../../src/bot/views/cards/incident-card.ts";
import { afterName, dotOf, overtakenWords } from "../../../src/bot/views/kit/health.ts";
import { findJobs } from "../../../src/service/engines/kubernetes/read/jobs.ts";
import { findServices } from "../../../src/service/engines/kubernetes/read/services.ts";
import { readJob } from "../../../src/service/workloads/jobs/job-answer.ts";
import { readService } from "../../../src/service/workloads/services/service-answer.ts";
import { answerShapes } from "../../../src/api/answers.ts";
import { asRead } from "../../support/as-read.ts";
import { regionWith } from "../../service/engines/kubernetes/support/known-objects.ts";
import { situations } from "../../service/engines/kubernetes/support/situations.ts";
import { cardOf as alertCard } from "../views/support/alerts.ts";
import { ended, run } from "../views/support/stored-changes.ts";
import { newJob } from "./support/changes.ts";
import {
  type Done,
  type Known,
  type Look,
  looksAfter,
  type Observed,
  recordedStories,
  type Story,
  watched,
} from "./support/replayed.ts";

/** What a real cluster sent. */
function recorded(): readonly Story[] {
  return Object.entries(situations).map(([name, [now, ...sent]]) => {
    const asked = [regionWith(sent), { namespaces: ["team"], username: "dana", now: new Date(now) }] as const; // arguments
    const [service] = findServices(...asked);
    const [job] = findJobs(...asked);
    const found = service
      ? { service: asRead(answerShapes.getService.parse(readService(service.service, service.status))) }
      : { job: asRead(answerShapes.getJob.parse(job && readJob(job.job, job.around))) };
    const observed: Observed[] = [{ ms: Date.parse(now), found }];
    return { name, kind: service ? "service" : "job", observed, done: [] };
  });
}

/** Without a change, as if one had been done before each answer that asks for what it shows. */
function doneIn({ done, observed }: Story): readonly Done[] {
  if (done.length > 0) return done;
  return observed.flatMap(({ ms, found }): Done[] => {
    if ("problem" in found) return [];
    if ("job" in found)
      return [
        {
          ms,
          change: { ...newJob, workload: { ...newJob.workload, name: found.job.metadata.name } },
          isConfirmed: true,
        },
      ];
    const { name, uid, target_instance_size: size, containers = [] } = found.service;
    const before = { ...serviceSnapshot(found.service), status: "Running" };
    const changeTo = (body: object): Done => {
      const workload = { kind: "service", region: "beijing1", name, uid } as const; // a literal kind
      const path = { region: "beijing1", service_name: name };
      const change: Change = {
        call: { op: "updateService", path, query: undefined, body },
        workload,
        before,
        diff: ["…"],
      };
      return { ms, change, isConfirmed: true };
    };
    return [
      ...(size === undefined ? [] : [changeTo({ target_instance_size: size })]),
      ...(containers.length === 0 ? [] : [changeTo({ containers: containers.map(({ image }) => ({ image })) })]),
    ];
  });
}

/** What both say at a moment at which both have looked. */
type Pair = {
  readonly story: string;
  readonly look: Look;
  readonly known: Known;
  readonly card: string;
  readonly watch: string;
};

async function pairsOf(story: Story): Promise<readonly Pair[]> {
  const cards = await Promise.all(
    doneIn(story).map(async (done) => ({ change: done.change, looks: await looksAfter(story, done) })),
  );
  const at = cards.flatMap(({ looks }) => looks.map(({ ms }) => ms));
  const watch = await watched(story, at);
  return cards.flatMap(({ change, looks }) => {
    let last = "";
    return looks.flatMap((look): Pair[] => {
      const known = watch.get(look.ms);
      const { watch: _, afterMs: __, ...health } = look.health;
      const said = JSON.stringify([health, look.isShown, known]);
      // Most polls find what the one before found.
      if (known === undefined || said === last) return [];
      last = said;
      return [{ story: story.name, look, known, card: cardOf(change, look), watch: watchOf(known) }];
    });
  });
}

const verbs: Readonly<Partial<Record<OperationId, string>>> = {
  createService: "create",
  createJob: "run",
  startService: "start",
  stopService: "stop",
  restartService: "restart",
};

function cardOf({ call, workload, diff }: Change, { health, isShown, isLast }: Look): string {
  const isDeploy = call.op === "updateService" && call.body.target_instance_size === undefined;
  const accepted: Outcome = isShown
    ? { kind: "done", after: undefined, alsoMoved: [] }
    : { kind: "asked", after: undefined, why: "Not visible yet." };
  const verb = verbs[call.op] ?? (isDeploy ? "deploy" : "scale");
  const change = {
    op: call.op,
    verb,
    workload,
    diff,
    ending: run(accepted),
    ...(isLast ? { health } : { progress: health }),
  };
  return changeCard({ change: ended("done", change), canUndo: false }).text;
}

function watchOf({ seen, incident }: Known): string {
  if (incident !== undefined) {
    return incidentCard(alertCard([incident])).text;
  }
  return seen === undefined ? "nothing" : `${dotOf(seen)} ${afterName(seen.name, statusSentence(seen))}`;
}

/** The dot of a card, which has marks of its own for a change that is done or under way. */
function dotOfCard({ card, look: { health } }: Pair): string {
  const [mark = ""] = card.split(" ", 1);
  if (mark === "❌") return dotOf({ level: "failing" });
  if (mark === "✅") return dotOf({ level: health.level === "idle" ? "idle" : "healthy" });
  return mark === "🔄" && health.level !== undefined ? dotOf({ level: health.level }) : mark;
}

function dotOfWatch({ watch }: Pair): string {
  return watch.split(" ", 1)[0] ?? "";
}

/** Characters of a reason that both have. */
const SHORTEST_REASON = 100;

/** The same dot, and of what isn't well the same words, facts and reason. */
function agree(pair: Pair): boolean {
  const { card, look, known } = pair;
  if (dotOfCard(pair) !== dotOfWatch(pair)) return false;
  const { seen, incident } = known;
  if (incident === undefined || seen === undefined) return true;
  const { facts = "", reason = "" } = seen;
  const { outcome = "", line } = look.health;
  const begin = brief(reason, SHORTEST_REASON).replace(/…$/u, "");
  return card.includes(statusSentence(seen)) && [facts, begin].every((words) => `${outcome} ${line}`.includes(words));
}

/** Why the card and the watch may say different things of a workload. The first that fits counts, and each has to occur. */
const reasons: readonly (readonly [why: string, isSo: (pair: Pair) => boolean])[] = [
  ["a read failed: the card says so, and a watch has a message of its own for it", ({ known }) => known.isUnread],
  ["it is gone: the card keeps what it said, and the incident ends", ({ known }) => known.seen === undefined],
  [
    "somebody else changed it: how it is says nothing about this change",
    ({ look }) => overtakenWords(look.health) !== undefined,
  ],
  [
    "what was accepted doesn't show yet: how it is says nothing about this change",
    ({ look: { health, isShown } }) => !isShown && health.kind === "not-yet",
  ],
  [
    "a card gets green when its workload has been well for a minute",
    ({ look: { health }, known }) =>
      known.seen?.level === "healthy" &&
      (health.kind === "watching"
        ? health.watch?.wellSinceMs !== undefined
        : health.outcome === "hasn't been ready for long enough"),
  ],
  [
    "a red card stays red until its workload has been well for a minute",
    ({ look: { health }, known }) => health.kind === "trouble" && known.seen?.level === "healthy",
  ],
  [
    "a service without instances has its new version, whatever its status says",
    ({ look: { health } }) => health.kind === "reached" && health.line.includes(AT_REST),
  ],
  [
    "a green card isn't followed any more, and later trouble isn't this change's",
    ({ look: { health, isLast } }) => health.kind === "reached" && isLast,
  ],
  [
    "somebody stopped what should run",
    ({ look: { health }, known }) => known.seen?.level === "idle" && health.outcome === "isn't running yet",
  ],
  [
    "an incident lasts until its workload is well, also while another version is rolled out",
    ({ look: { health }, known }) =>
      known.incident !== undefined && known.seen?.level === "busy" && health.level === "busy",
  ],
];

test("a change's card and a watch say the same of a workload whenever both look, but for known reasons", async () => {
  const pairs: Pair[] = [];
  for (const story of [...recordedStories(), ...recorded()]) pairs.push(...(await pairsOf(story)));
  const different = Map.groupBy(
    pairs.filter((pair) => !agree(pair)),
    (pair) => reasons.find(([, isSo]) => isSo(pair))?.[0],
  );

  const unexplained = different.get(undefined) ?? [];
  expect(unexplained.map(({ story, look, card, watch }) => ({ story, afterMs: look.ageMs, card, watch }))).toEqual([]);
  expect(reasons.map(([why]) => why).filter((why) => !different.has(why))).toEqual([]);
});
