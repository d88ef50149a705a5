import { newReference } from "../../platform/log.ts";
import { createEnvValues } from "../workflow/access/env-values.ts";
import { guardedApi } from "../workflow/access/guarded-api.ts";
import { type Clock, machineClock } from "../../platform/clock.ts";
import { directNetwork } from "../../platform/http/network.ts";
import { createLogPool } from "../logs/threads/log-pool.ts";
import { installRoutes } from "../slack/install/installer.ts";
import { type OAuthApp, oauthCalls } from "../slack/install/oauth.ts";
import { createArrivalTimes, createRepeats } from "../slack/receive/delivery-memory.ts";
import { healthRoutes, type Route } from "../slack/receive/health-server.ts";
import { answerWithout, route } from "../slack/receive/route.ts";
import { sourceOf } from "../slack/receive/payload.ts";
import type { Transport, TransportParts } from "../slack/receive/transport.ts";
import { createTransport } from "../slack/receive/create-transport.ts";
import { operatorSentence, StoreError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { Message } from "../views/kit/post.ts";
import { sentences } from "../views/messages/sentences.ts";
import { type DrainLimits, drainLimits, createLanes, type Lanes } from "../workflow/inbox/lanes.ts";
import { leftOver, process } from "../workflow/receive/delivery.ts";
import { createDropped } from "../workflow/inbox/interaction.ts";
import { createDueLoop, type DueEnd, type DueWork } from "../workflow/due.ts";
import { followOn } from "../workflow/watching/log-follow.ts";
import { deliverPost } from "./deliver-post.ts";
import type { WorkflowParts } from "../workflow/ports.ts";
import { carryOnDue, followWith } from "../workflow/run/run.ts";
import { createSweeper, sweep } from "../workflow/receive/sweep.ts";
import { tellDigest } from "../workflow/watching/digest.ts";
import { createFileWatches } from "../workflow/watching/file-watches.ts";
import { checkRights } from "../workflow/watching/rights.ts";
import { notifyPlace } from "../workflow/watching/notify.ts";
import { tellWatchNews } from "../workflow/post/announcement.ts";
import { createKnownLists, makeRound } from "../workflow/watching/observer.ts";
import type { FileWatch } from "../commands/verbs/watch/watches-file.ts";
import { createPush } from "../workflow/watching/push.ts";
import { type AuditReceiver, createHandingOver } from "./audit/receivers.ts";
import { createReporter, watchForOtherGantry } from "./health/replica-report.ts";
import { measuredLogs, measuredNetwork, measuredStore } from "./observing/measured.ts";
import type { Observer } from "./observing/observer.ts";
import { createMovedPolicy } from "./operator-files.ts";
import { createInstallationCare, type InstallationCare, installationEvents } from "./workspaces/installation-care.ts";
import type { Shared } from "./workspaces/workspace.ts";
import { installedWorkspaces, onlyWorkspace, type Workspaces } from "./workspaces/workspaces.ts";
import { within } from "../../platform/waiting.ts";

type Made = "clock" | "deliver" | "dropped" | "lanes" | "logs" | "repeats" | "report" | "start";

export type BotParts = Omit<Shared, Made> & {
  /** Port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Measures and traces what the bot does; nobody by default. */
  readonly observer?: Observer | undefined;
  /** Another way to make the transport: tests end one without a word, as a killed process does. */
  readonly openTransport?: typeof createTransport;
  /** Slack accepts no connection any more until somebody changes something: what, as a sentence. */
  readonly onRefused?: (sentence: string) => void;
  /** The watches of the file; the same list until it has changed. */
  readonly fileWatches?: () => readonly FileWatch[];
  /** Who gets every event of history. */
  readonly auditReceivers?: readonly AuditReceiver[];
  /** This machine's by default. */
  readonly clock?: Clock;
  /** Between a write and its read-back, and between polls of its health; the clock's by default. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Delay until people who wait see that a request is running; the clock's by default. */
  readonly patience?: Clock["after"];
  readonly drain?: DrainLimits;
  /** Time between two sweeps, in milliseconds. */
  readonly sweepEveryMs?: number;
};

const noWatches: readonly FileWatch[] = [];

/** A bot with one token has no installations. */
const noCare: InstallationCare["work"] = { doubt: async () => "done", token: async () => "done" };
/** Before another look at a delivery that can't be read here, for a week. */
const UNREAD: DueEnd = { ms: 10 * 60_000, isFailure: true };
const UNREAD_FOR_MS = 7 * 24 * 60 * 60_000;
/** People's commands wait for it at the start. */
const RENEW_WITHIN_MS = 5_000;

export type Bot = {
  /** Resolves when Slack's deliveries are taken. Throws when the port is taken or Slack does not know the token. */
  readonly start: () => Promise<{ readonly port: number }>;
  /** Takes nothing new, lets work in progress end or tells its people, then stops listening: within 20 s. */
  readonly stop: () => Promise<void>;
  /** Resolves when nothing is in flight. */
  readonly idle: () => Promise<void>;
  /** Unfinished deliveries, changes and cards, by id. */
  readonly inProgress: () => readonly string[];
  /** Sweeps now: expired requests, work left by replicas that are gone, outdated cards. */
  readonly sweep: () => Promise<void>;
};

/**
 * Puts the parts of the bot together: what all workspaces share, the workspaces made from it, the transport that hands them
 * Slack's deliveries, and the sweeper that carries on what is left.
 */
export function createBot(given: BotParts): Bot {
  const parts = given.observer === undefined ? given : observed(given, given.observer);
  const { log, slack, store, observer } = parts;
  const { clock = machineClock } = parts;
  const movedPolicy = createMovedPolicy(store);
  const arrivals = createArrivalTimes(clock);
  const shared = sharedBy(parts, {
    clock,
    policy: (teamId) => movedPolicy.of(teamId, parts.policy(teamId)),
    report: () => report(),
    start: (due, work, job) => loop.start(due, work, job),
    async deliver({ id: key }, teamId, taken) {
      try {
        const isDone =
          taken === undefined
            ? await loop.finish("post", key)
            : await loop.perform(taken.due, async (due, signal) =>
                deliverPost(await workspaceOf(teamId), due, signal, taken),
              );
        return isDone || (await store.postOf({ key, teamId })) === undefined;
      } catch (error) {
        // The message is stored, so the next sweep delivers it.
        if (error instanceof StoreError) return false;
        throw error;
      }
    },
  });
  const { dropped, lanes, logs } = shared;
  const { workspaces, pages, toStranger, care }: App =
    "oauth" in slack
      ? installedApp(shared, slack.oauth)
      : { workspaces: onlyWorkspace(shared, slack), pages: [], toStranger: undefined, care: noCare };
  const receiving = receiver(shared, workspaces, toStranger);
  const receive = observer?.followed(receiving) ?? receiving;
  const { openTransport = createTransport } = parts;
  const troubleNow = keptTrouble(store, clock);
  const transport: Transport = openTransport(slack.transport, {
    apiUrl: slack.apiUrl,
    network: slack.network,
    listen: parts.listen,
    routes: [
      ...healthRoutes({
        missing: async () => [...(await missing(troubleNow, lanes, workspaces)), ...transport.missing()],
        lanes: lanes.status,
      }),
      ...pages,
    ],
    log,
    clock,
    onRefused: parts.onRefused,
    route(body, ack) {
      arrivals.remember(body);
      return receive(body, ack);
    },
    onUnsigned: arrivals.rememberUnsigned,
  });
  const otherGantry = watchForOtherGantry({ transport, store, log, clock });
  const report = createReporter({
    otherGantry,
    api: guardedApi(parts.api, createEnvValues(clock)),
    isEmbedded: !URL.canParse(parts.settings.serviceUrl),
    arrivals,
    keyIds: parts.sealer.keyIds,
    lanes,
    log,
    missing: async () => [...(await workspaces.missing()), ...transport.missing()],
    clock,
    policy: () => shared.policy(undefined),
    policyProblem: parts.health?.policyProblem ?? (() => undefined),
    transport: { kind: slack.transport.kind, links: transport.links },
  });
  const workspaceOf = async (teamId: string) => (await workspaces.of(teamId)).deps;
  const known = createKnownLists();
  const takeFileWatches = createFileWatches({
    current: parts.fileWatches ?? (() => noWatches),
    store,
    workspaceOf,
    clock,
    log,
  });
  observer?.metrics?.show({
    lanes: lanes.status,
    links: slack.transport.kind === "socket" ? transport.links : undefined,
    trouble: store.trouble,
    waiting: store.waiting,
  });
  const push = createPush({ log, clock });
  const { auditReceivers: receivers = [] } = parts;
  const handingOver = createHandingOver({ store, receivers, log });
  const inWorkspace =
    (work: (deps: WorkflowParts, ...attempt: Parameters<DueWork>) => Promise<DueEnd>): DueWork =>
    async (due, ...attempt) =>
      work(await workspaceOf(due.teamId), due, ...attempt);
  const sendPost = inWorkspace((deps, due, signal) => deliverPost(deps, due, signal));
  const loop = createDueLoop({
    store,
    lanes,
    log,
    clock,
    work: {
      audit: handingOver.work,
      change: inWorkspace(carryOnDue),
      async delivery(due, signal) {
        const left = leftOver(log, due);
        // Another replica may have the key, or be of the version that stored it.
        const ageMs = due.takenAt.getTime() - due.createdAt.getTime();
        if (left === undefined) return ageMs > UNREAD_FOR_MS ? "done" : UNREAD;
        return process(await workspaceOf(left.interaction.origin.teamId), left, signal);
      },
      digest: inWorkspace(tellDigest),
      ...care,
      follow: inWorkspace(followOn),
      place: inWorkspace(notifyPlace),
      post: sendPost,
      prune: store.prune,
      requester: sendPost,
      rights: inWorkspace(checkRights),
      round: inWorkspace((deps, due, signal) => makeRound(deps, { known, push, followWith }, due, signal)),
      "watch news": inWorkspace(tellWatchNews),
    },
  });
  const sweepNow = async (): Promise<void> => {
    await movedPolicy.refresh();
    await workspaces.refresh();
    await sweep({
      ...shared,
      loop,
      jobsRegion: parts.settings.jobsRegion,
      flushCalls: workspaces.flushCalls,
    });
    await takeFileWatches();
  };
  const sweepAll = async (): Promise<void> => {
    try {
      await (observer?.background(sweepNow) ?? sweepNow());
    } finally {
      // Also while a workspace can't be opened: that may last.
      await store.sealHistory();
    }
  };
  const sweeper = createSweeper({ log, sweep: sweepAll, clock }, parts.sweepEveryMs);
  /** Saving call counts and refused deliveries is best effort. */
  const flush = async (): Promise<void> => {
    try {
      await Promise.all([dropped.flush(), workspaces.flushCalls(), logs.close()]);
    } catch (err) {
      log.warn({ err }, "couldn't count the last calls");
    }
  };
  return {
    idle: lanes.idle,
    inProgress: loop.inProgress,
    sweep: sweepAll,
    async start() {
      await workspaces.begin();
      // A database that fails here fails for a moment: it was opened just before.
      await sweeper.once(async () => {
        await store.beat(await report());
        await store.planPruning();
        await store.addReceivers(receivers.map(({ name }) => name));
        // Tokens that expired while no replica ran.
        await within(RENEW_WITHIN_MS, lanes.track(loop.finish("token")), () => undefined, clock);
      });
      const started = await transport.start();
      // Takes over what the last process left unfinished before the first command is answered.
      await sweeper.once(sweepAll);
      sweeper.start();
      otherGantry.start();
      return started;
    },
    async stop() {
      otherGantry.stop();
      push.stop();
      await sweeper.stop();
      handingOver.stop();
      await stopBot({ ...shared, transport, flush });
    },
  };
}

/** The same parts with somebody who looks on. */
function observed(parts: BotParts, observer: Observer): BotParts {
  const { slack, store } = parts;
  return {
    ...parts,
    slack: { ...slack, network: measuredNetwork(slack.network ?? directNetwork, observer.measure) },
    store: measuredStore(store, observer),
  };
}

function sharedBy(
  parts: BotParts,
  made: Pick<Shared, "deliver" | "policy" | "report" | "start"> & { readonly clock: Clock },
): Shared {
  const { log, observer, store, drain = drainLimits } = parts;
  const { clock } = made;
  const metrics = observer?.metrics;
  const logs = createLogPool({ clock });
  return {
    ...parts,
    ...made,
    clock: { ...clock, wait: parts.wait ?? clock.sleep, patience: parts.patience ?? clock.after },
    dropped: createDropped(store, log),
    lanes: createLanes({
      drain,
      onError: (err) => log.error({ err }, "work after an ack failed"),
      clock,
      onFull: metrics?.laneFull,
    }),
    logs: metrics === undefined ? logs : measuredLogs(logs, metrics.redacted),
    repeats: createRepeats(clock),
  };
}

/** What depends on how the app is installed. */
type App = {
  readonly workspaces: Workspaces;
  /** Pages of the HTTP server, beside the health checks. */
  readonly pages: readonly Route[];
  /** For people of a workspace in which the app isn't installed, or not any more. */
  readonly toStranger: Message | undefined;
  readonly care: InstallationCare["work"];
};

function installedApp(shared: Shared, app: OAuthApp): App {
  const { store, sealer, log, settings, slack, clock } = shared;
  const { apiUrl, network } = slack;
  const calls = oauthCalls(app, { apiUrl, network, log });
  // Both need the workspaces, which need the care.
  const changed = (id: string): void => workspaces.changed(id);
  const care = createInstallationCare({ store, sealer, calls, log, clock, changed });
  const workspaces = installedWorkspaces(shared, installationEvents({ store, changed }, care), care);
  const { command } = settings;
  return {
    workspaces,
    pages: installRoutes({ app, apiUrl, network, store, changed, sealer, command, log, clock }),
    toStranger: sentences.notInstalled(`${app.url}/slack/install`),
    care: care.work,
  };
}

/** Takes every payload and hands it to its workspace. Never rejects. */
function receiver(
  { lanes, log, settings }: Shared,
  workspaces: Workspaces,
  toStranger: Message | undefined,
): TransportParts["route"] {
  const receive: TransportParts["route"] = async (body, ack) => {
    const workspace = await workspaces.find(sourceOf(body));
    return workspace === undefined ? answerWithout(toStranger, body, ack) : route(workspace.deps, body, ack);
  };
  return async (body, ack) => {
    try {
      // A stop waits for it: otherwise a command could be acked and lost.
      await lanes.track(receive(body, ack));
    } catch (err) {
      const reference = newReference();
      log.error({ err, reference }, "couldn't find the workspace of an interaction");
      await answerWithout(sentences.notStored(reference, settings.command), body, ack);
    }
  };
}

const KEPT_MS = 1_000;

/** The database's trouble of the last second: anybody may ask for `/readyz`, and the proof is a write. */
function keptTrouble({ trouble }: Pick<Store, "trouble">, { elapsedMs }: Pick<Clock, "elapsedMs">): Store["trouble"] {
  let last: { readonly atMs: number; readonly found: ReturnType<typeof trouble> } | undefined;
  return () => {
    const atMs = elapsedMs();
    if (last === undefined || atMs - last.atMs >= KEPT_MS) last = { atMs, found: trouble() };
    return last.found;
  };
}

/** Reasons why the bot is not ready, as sentences. */
async function missing(troubleNow: Store["trouble"], lanes: Lanes, workspaces: Workspaces): Promise<readonly string[]> {
  if (lanes.isStopping()) return ["Gantry is stopping"];
  const [ofSlack, trouble] = await Promise.all([workspaces.missing(), troubleNow()]);
  return trouble === undefined ? ofSlack : [operatorSentence(trouble), ...ofSlack];
}

/** Asking for other replicas and saving call counts is best effort: a stop doesn't wait longer for the database. */
const ASK_WITHIN_MS = 250;

type Stopping = Pick<Shared, "clock" | "lanes" | "log" | "store"> & {
  readonly transport: Transport;
  /** Saves what is counted in memory. Never rejects. */
  readonly flush: () => Promise<void>;
};

/**
 * Leaves new deliveries to the other replicas, if there are any: without them, people are told that Gantry restarts. Then
 * ends what is in progress.
 */
async function stopBot({ lanes, store, transport, flush, log, clock }: Stopping): Promise<void> {
  const inTime = <Result>(work: Promise<Result>) => within(ASK_WITHIN_MS, work, () => undefined, clock);
  const others = await inTime(store.otherReplicas().catch(() => []));
  if (others !== undefined && others.length > 0) await transport.handOver();
  const { aborted, left } = await lanes.drain();
  if (aborted > 0) log.warn({ aborted, left }, "stopped while commands were running");
  await inTime(flush());
  await transport.stop();
}
