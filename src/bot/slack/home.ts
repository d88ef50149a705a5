import { z } from "zod";
import type { WorkspaceParts } from "./parts.ts";
import type { Context } from "../commands/command.ts";
import { StoreError, UserError } from "../errors.ts";
import { type HomeState, homeRows, targetOf } from "../views/home/state.ts";
import { homeView, refusedHome, NO_REGION } from "../views/home/view.ts";
import { isTemporary, reasonFor } from "./send/slack-error.ts";
import { originOf } from "./receive/payload.ts";
import { patiently } from "./send/call.ts";
import { contextFor } from "../workflow/access/context.ts";
import { liveWorkloads } from "../workflow/access/live-workloads.ts";
import type { Origin } from "../workflow/origin.ts";
import { regionOf } from "../commands/grammar/argument-types.ts";
import { commands } from "../commands/verbs.ts";
import { allowedVerbs, unableTo } from "../commands/lookup/authorize.ts";
import { newReference } from "../../platform/log.ts";
import type { Action } from "../views/kit/action-id.ts";
import { connectForm } from "../views/forms/connect-form.ts";
import { isMenuVerb, workloadOfBlock } from "../views/home/workloads.ts";
import { openForm } from "./modals/update-view.ts";
import { openVerbForm } from "./modals/open-form.ts";
import { onReadClick } from "./receive/read-click.ts";
import { sentences } from "../views/messages/sentences.ts";
import { formCommand } from "../commands/grammar/parse.ts";
import { linkOwner } from "../workflow/propose/link.ts";

/** https://docs.slack.dev/reference/events/app_home_opened */
const Opened = z.object({
  event_id: z.string(),
  team_id: z.string().optional(),
  event: z.object({ user: z.string(), tab: z.string().default("home") }),
});

/** Home is redrawn each time it is opened. */
export async function onHomeOpened(deps: WorkspaceParts, body: unknown): Promise<void> {
  const { event_id, team_id, event } = Opened.parse(body);
  if (event.tab !== "home" || deps.repeats.isRepeat(event_id) || deps.lanes.isStopping()) return;
  homeLater(deps, { ...originOf(deps, { user_id: event.user, team_id }), isHome: true });
}

/** Draws a person's Home after the ack, in the lane for people. */
export function homeLater(deps: WorkspaceParts, clicked: Origin, freshMs = FRESH_MS): void {
  // It shows the person's usual account, also when something of another one was clicked before.
  const origin = { ...clicked, account: undefined };
  const isTaken = deps.lanes.add({ lane: "people", owner: origin.userId }, (signal) =>
    drawHome(deps, { origin, freshMs }, signal),
  );
  if (!isTaken) deps.log.warn("a Home was not drawn: there is too much to do");
}

/** A list not older than this costs no call. */
const FRESH_MS = 15_000;
/** For a redraw that needs no newer list. */
const ANY_AGE_MS = 5 * 60_000;
/** How long the first draw waits for the workload API. */
const AT_ONCE_MS = 500;
const LATER_MS = 12_000;

/** Draws twice if the workload API is slow: first without its lists, then with them. */
async function drawHome(deps: WorkspaceParts, { origin, freshMs }: Drawn, signal: AbortSignal): Promise<void> {
  const known = await homeState(deps, origin, signal);
  const first = await withLive(deps, known, { freshMs, withinMs: AT_ONCE_MS });
  await publish(deps, origin, first);
  if (!first.isReading || signal.aborted) return;
  await publish(deps, origin, await withLive(deps, known, { freshMs, withinMs: LATER_MS }));
}

type Drawn = { readonly origin: Origin; readonly freshMs: number };

/** Asks policy about the workloads that are shown; no API call, and none to Slack but for groups in its rules. */
async function mayDoIn(known: Parameters<typeof homeRows>[0], context: Context): Promise<HomeState["mayDo"]> {
  const { region } = context.settings;
  const { troubled, rows } = homeRows(known);
  const shown = new Map([...troubled, ...rows].map((row) => [targetOf(row), row]));
  const may = [...shown].map(async ([target, { kind, name }]) => {
    const workload = { kind, name, region: regionOf(kind, region, context.settings) };
    return [target, await allowedVerbs(commands, workload, context)] as const;
  });
  return new Map(await Promise.all(may));
}

/** Verbs that have a form or only read, and that policy may allow this person and the workload API can do. */
async function verbsFor(context: Context): Promise<HomeState["verbs"]> {
  const open = await Promise.all(
    commands.map(async (command) => {
      const { name, summary, form, effect, actions } = command;
      const isChoice = form !== undefined || effect === "read";
      const isOpen = isChoice && (actions.length === 0 || (await context.permissions.outlook(actions)) !== "refuse");
      return isOpen && (await unableTo(command, context)) === undefined ? [{ name, summary }] : [];
    }),
  );
  return open.flat();
}

type Known = { readonly state: HomeState; readonly context: Context | undefined };

type Reading = { readonly freshMs: number; readonly withinMs: number };

async function withLive(
  deps: Pick<WorkspaceParts, "clock" | "lanes" | "log">,
  { state, context }: Known,
  reading: Reading,
): Promise<HomeState> {
  if (context === undefined) return state;
  const { region } = context.settings;
  const live = await liveWorkloads(deps, context, { of: "any", region, ...reading });
  const known = { services: live.services?.entries, jobs: live.jobs?.entries };
  return {
    ...state,
    mayDo: await mayDoIn({ ...known, page: state.page }, context),
    ...known,
    apiProblem: live.problems.length === 0 ? undefined : live.problems.join(" "),
    isReading: live.isLate && reading.withinMs === AT_ONCE_MS,
    readAt: new Date(Math.min(...[live.services, live.jobs].map((list) => list?.at ?? state.readAt.getTime()))),
  };
}

async function homeState(deps: WorkspaceParts, origin: Origin, signal: AbortSignal): Promise<Known> {
  const { settings } = deps;
  const now = deps.clock.now();
  const nobody = {
    page: origin.homePage ?? 0,
    regions: settings.regions,
    defaultRegion: settings.region,
    verbs: [],
    mayDo: new Map(),
    now,
    readAt: now,
    isReading: false,
    mine: [],
    waiting: [],
    recent: [],
    problems: [],
  };
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    const { account, settings: own } = context;
    const [records, trouble] = await Promise.all([recordsOf(context), deps.store.trouble()]);
    const verbs = await verbsFor(context);
    const state = {
      ...nobody,
      ...records,
      problems: [...new Set([...(trouble === undefined ? [] : [trouble.message]), ...records.problems])],
      verbs,
      account: { ...account, region: own.region, jobsRegion: own.jobsRegion },
    };
    return { state, context };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const problem = [error.message, error.next].filter(Boolean).join(" ");
    return { state: { ...nobody, accountProblem: problem }, context: undefined };
  }
}

/** How many waiting changes are checked for this person: each check can cost a Slack call. */
const MOST_WAITING = 20;
const RECENT = 5;

async function recordsOf({ records, asker }: Context) {
  try {
    const [pending, { events: recent }] = await Promise.all([
      records.pending(),
      // As in `history`, which is for full members.
      asker.standing === "member" ? records.history({ show: "ended", limit: RECENT }) : { events: [] },
    ]);
    const newest = pending.toReversed();
    const mine = newest.filter(({ requester }) => requester.userId === asker.userId);
    const all = newest.filter((change) => !mine.includes(change));
    const others = all.slice(0, MOST_WAITING);
    const may = await Promise.all(others.map((change) => records.mayDecide(change)));
    return {
      mine,
      waiting: others.filter((_, at) => may[at]),
      mayWaitMore: all.length > others.length,
      recent,
      problems: [],
    };
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof StoreError)) throw error;
    return { mine: [], waiting: [], recent: [], problems: [error.message] };
  }
}

async function publish(
  deps: Pick<WorkspaceParts, "clock" | "messenger">,
  { userId }: Origin,
  state: HomeState,
): Promise<void> {
  const published = await patiently(deps.clock, () =>
    deps.messenger.publishHome({ user: userId, view: homeView(state) }),
  );
  if (published.ok || isTemporary(published.failure)) return;
  const { failure } = published;
  // Slack would go on showing the last Home, or none.
  await deps.messenger.publishHome({ user: userId, view: refusedHome(reasonFor(failure), failure.reference) });
}

type Clicked = {
  readonly act: (Action & { readonly kind: "home" })["act"];
  readonly blockId: string;
  readonly value: string;
  readonly origin: Origin;
  readonly triggerId: string;
};

/** The click was acked before this: none of these changes a workload. */
export async function onHomeClick(deps: WorkspaceParts, clicked: Clicked): Promise<void> {
  const { act, value, origin, triggerId } = clicked;
  switch (act) {
    case "refresh":
      return homeLater(deps, origin);
    case "previous":
    case "next":
      // The list that the page was drawn from is good enough for the next page.
      return homeLater(deps, { ...origin, homePage: Number(PageNumber.safeParse(value).data ?? 0) }, ANY_AGE_MS);
    case "workload":
      return chooseForWorkload(deps, clicked);
    case "region":
      return chooseRegion(deps, value, origin);
    case "connect": {
      const metadata = JSON.stringify({ whose: "mine", origin });
      await openForm(deps, { triggerId, view: connectForm({ owner: linkOwner("mine", origin), metadata }), origin });
      return;
    }
    case "do": {
      // Opens the verb's form; a read without a form runs at once.
      const command = formCommand(value);
      if (command !== undefined) await openVerbForm(deps, { command, values: {}, origin, triggerId });
      else await onReadClick(deps, { value: { verb: value, share: false, args: {} }, origin });
      // Redrawing clears the menu, so the same verb can be chosen again.
      return homeLater(deps, origin, ANY_AGE_MS);
    }
  }
}

const PageNumber = z.string().regex(/^\d{1,6}$/u);

/** Runs a read on the workload beside the menu, or opens the form of a write. Policy is asked there, as always. */
async function chooseForWorkload(deps: WorkspaceParts, { blockId, value, origin, triggerId }: Clicked): Promise<void> {
  const workload = workloadOfBlock(blockId);
  if (workload === undefined || !isMenuVerb(value)) {
    return deps.responder.tellPatiently(sentences.staleButton(deps.settings.command), origin);
  }
  const { name } = workload;
  // Jobs have only one region.
  const where = name.startsWith("job/") ? {} : { region: workload.region };
  const command = formCommand(value);
  if (command?.effect === "read") {
    return onReadClick(deps, { value: { verb: value, ...where, share: false, args: { name } }, origin });
  }
  if (command !== undefined) await openVerbForm(deps, { command, values: { name, ...where }, origin, triggerId });
}

/** Sets this person's default region. */
async function chooseRegion(deps: WorkspaceParts, value: string, origin: Origin): Promise<void> {
  const region = value === NO_REGION ? undefined : value;
  try {
    await deps.lanes.track(deps.store.setRegion(origin.teamId, origin.userId, region));
    deps.accounts.forget();
  } catch (error) {
    const reference = newReference();
    deps.log.error({ err: error, reference }, "a setting could not be stored");
    await deps.responder.tellPatiently(sentences.notStored(reference, deps.settings.command), origin);
    return;
  }
  // Another region has other pages.
  homeLater(deps, { ...origin, homePage: 0 });
}
