import { readRefusal, type Permitted, type Refusal, seeingRefusal } from "../../commands/lookup/may-see.ts";
import type { NewHistoryEvent } from "../../changes/history-event.ts";
import type { Who } from "../../changes/stored-change.ts";
import type { Binding } from "../../policy/binding.ts";
import type { Message } from "../../views/kit/post.ts";
import { counted } from "../../views/kit/text.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Incident, Taken } from "../../watch/incident.ts";
import { hasLeft } from "../access/approvers.ts";
import { permissionsFor } from "../access/permissions.ts";
import { eventAbout, logEvent, originEvent, refusedPost } from "../history.ts";
import type { Reply } from "../inbox/interaction.ts";
import { isDirect, type Origin } from "../origin.ts";
import { freshness, type WorkflowParts } from "../ports.ts";
import type { Passed, Passing, Profile } from "../stored.ts";

type About = { readonly alertId: string; readonly origin: Origin };
/** `at`: when it was clicked. */
type AlertInteraction = About & { readonly at: Date; readonly reply: Reply };

/**
 * "I'm on it": for people who may see and watch everything that the card lists. The card then shows their name, and whom they took it
 * over from. Idempotent. Throws `UserError` or `StoreError`.
 */
export async function takeAlert(deps: WorkflowParts, { at, reply, ...about }: AlertInteraction): Promise<void> {
  const found = await findAlert(deps, about);
  if ("refusal" in found) return reply.send(found.refusal, "refused");
  const passed = await pass(deps, { ...about, found, kind: "taken", to: found.who, at });
  if (passed === "over") await reply.send(sentences.incidentOver(), "refused");
}

/**
 * Who is on it hands it over, or leaves it without `to`. Whoever gets it has to be in the channel, and may see and watch all that the
 * card lists. Idempotent. Throws like `takeAlert`.
 */
export async function leaveAlert(
  deps: WorkflowParts,
  { at, reply, to, ...about }: AlertInteraction & { readonly to?: string | undefined },
): Promise<void> {
  const found = await findAlert(deps, about);
  if ("refusal" in found) return reply.send(found.refusal, "refused");
  const next = to === undefined ? undefined : await nextOf(deps, { ...about, found, to });
  if (next !== undefined && "refusal" in next) return reply.send(next.refusal, "refused");
  const kind = next === undefined ? "released" : "handed-over";
  const passed = await pass(deps, { ...about, found, kind, to: next?.who, at });
  if (passed === "over") return reply.send(sentences.incidentOver(), "refused");
  if (passed !== "not-theirs") return;
  const now = await deps.store.alertOf({ id: about.alertId, teamId: about.origin.teamId });
  await reply.send(sentences.notOnIt(now?.taken?.name), "refused");
}

type Refused = { readonly refusal: Message };
type Found = {
  readonly incidents: readonly [Incident, ...Incident[]];
  readonly who: Who;
  /** Who is on it. */
  readonly taken: Taken | undefined;
  readonly binding: Binding | undefined;
};

/** The alert, if whoever clicked may take it; else what they are told. Throws `UserError` or `StoreError`. */
export async function findAlert(deps: WorkflowParts, { alertId, origin }: About): Promise<Found | Refused> {
  const { store, people } = deps;
  const { teamId, channelId, userId } = origin;
  const [alert, profile, binding] = await Promise.all([
    store.alertOf({ id: alertId, teamId }),
    people.profile(userId, freshness.deciding),
    isDirect(channelId) ? undefined : store.bindingOf(teamId, channelId),
  ]);
  const [first, ...others] = alert?.incidents ?? [];
  if (first === undefined) return { refusal: sentences.unknownIncident() };
  const found: Found = {
    incidents: [first, ...others],
    who: { userId, name: profile.name },
    taken: alert?.taken,
    binding,
  };
  const hidden = await hiddenFrom(deps, { found, profile, channelId });
  if (hidden === undefined) return found;
  const { refusal, incident } = hidden;
  const { kind, region, name, account } = incident;
  const workload = name === undefined ? undefined : { kind, region, name };
  const attempt = { refusal, workload, verb: "watch", origin, who: found.who, account };
  return { refusal: await refusedPost(deps, attempt) };
}

type Reading = { readonly found: Found; readonly profile: Profile; readonly channelId: string };

/** The first incident that a person may not watch and see there. */
async function hiddenFrom(deps: WorkflowParts, { found, profile, channelId }: Reading) {
  for (const incident of found.incidents) {
    const own = { profile, channelId, account: { username: incident.account }, binding: found.binding };
    const refusal = await refusalOf(incident, { permissions: permissionsFor(deps, own), settings: deps.settings });
    if (refusal !== undefined) return { refusal, incident };
  }
  return undefined;
}

type Handing = About & { readonly found: Found; readonly to: string };

/** The person whom it is handed to, or why it can't be. */
async function nextOf(deps: WorkflowParts, { found, origin, to }: Handing): Promise<{ readonly who: Who } | Refused> {
  const { people } = deps;
  const { channelId, userId } = origin;
  if (to === userId) return { refusal: notTheirs(found) ?? sentences.onItAlready() };
  const profile = await people.profile(to, freshness.deciding, "that person");
  const { name, standing } = profile;
  if (standing === "bot" || standing === "deactivated") return { refusal: sentences.notAPerson(name) };
  if (await hasLeft(people, channelId, to)) return { refusal: sentences.notInChannel(name) };
  const hidden = await hiddenFrom(deps, { found, profile, channelId });
  return hidden === undefined ? { who: { userId: to, name } } : { refusal: sentences.mayNotSee(name) };
}

/** What somebody is told who isn't on it; undefined for who is. */
export function notTheirs({ taken, who }: Pick<Found, "taken" | "who">): Message | undefined {
  return taken?.userId === who.userId ? undefined : sentences.notOnIt(taken?.name);
}

type Moving = About &
  Omit<Passing, "by"> & { readonly found: Found; readonly kind: "taken" | "handed-over" | "released" };

async function pass(deps: WorkflowParts, { alertId, origin, found, kind, to, at }: Moving): Promise<Passed> {
  const { incidents, who } = found;
  const toWhom = kind === "handed-over" && to !== undefined ? `to ${to.name}` : "";
  const about = { kind, verb: "watch", account: incidents[0].account, ...subjectOf(incidents, deps.settings, toWhom) };
  const event = originEvent(origin, who, about);
  const passed = await deps.store.passAlert({ id: alertId, teamId: origin.teamId }, { by: who, to, at }, event);
  if (passed === "passed") logEvent(deps, event);
  return passed;
}

/** Whoever watches anything here may know that the workload API doesn't answer: that names no workload. */
async function refusalOf({ kind, region, name }: Incident, permitted: Permitted): Promise<Refusal | undefined> {
  const { permissions } = permitted;
  const watching = { op: "watch", risk: undefined } as const; // a literal action
  if (name === undefined && (await permissions.outlook([watching])) !== "refuse") return undefined;
  const verdict = await permissions.verdict({ ...watching, workload: { kind, region, name } });
  return readRefusal(verdict) ?? (name === undefined ? undefined : seeingRefusal({ kind, region, name }, permitted));
}

const NAMED = 5;

function subjectOf(
  incidents: readonly Incident[],
  settings: Permitted["settings"],
  toWhom: string,
): Pick<NewHistoryEvent, "workload" | "result"> {
  const [only, ...others] = incidents;
  if (only?.name !== undefined && others.length === 0)
    return eventAbout({ ...only, names: only.name }, settings, toWhom);
  const names = [...new Set(incidents.map(({ name = "the workload API" }) => name))].toSorted();
  const more = names.length > NAMED ? [counted(names.length - NAMED, "more workload")] : [];
  const result = [...names.slice(0, NAMED), ...more].join(", ");
  return { workload: undefined, result: toWhom === "" ? result : `${result} ${toWhom}` };
}
