import { readRefusal, type Permitted, type Refusal, seeingRefusal } from "../../commands/lookup/may-see.ts";
import type { NewHistoryEvent } from "../../changes/history-event.ts";
import { counted } from "../../views/kit/text.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Incident } from "../../watch/incident.ts";
import { permissionsFor } from "../access/permissions.ts";
import { eventAbout, logEvent, originEvent, refusedPost } from "../history.ts";
import type { Reply } from "../inbox/interaction.ts";
import { isDirect, type Origin } from "../origin.ts";
import { freshness, type WorkflowParts } from "../ports.ts";

type TakeInteraction = { readonly alertId: string; readonly origin: Origin; readonly reply: Reply };

/**
 * "I'm on it": for people who may see and watch everything that the card lists. The card then shows their name. Idempotent.
 * Throws `UserError` or `StoreError`.
 */
export async function takeAlert(deps: WorkflowParts, { alertId, origin, reply }: TakeInteraction): Promise<void> {
  const { store, people, settings } = deps;
  const { teamId, channelId, userId } = origin;
  const [alert, profile, binding] = await Promise.all([
    store.alertOf({ id: alertId, teamId }),
    people.profile(userId, freshness.deciding),
    isDirect(channelId) ? undefined : store.bindingOf(teamId, channelId),
  ]);
  const { incidents = [] } = alert ?? {};
  const [first] = incidents;
  if (first === undefined) return reply.send(sentences.unknownIncident(), "refused");
  const who = { userId, name: profile.name };
  const { account } = first;
  for (const incident of incidents) {
    const own = { profile, channelId, account: { username: incident.account }, binding };
    const refusal = await refusalOf(incident, { permissions: permissionsFor(deps, own), settings });
    if (refusal === undefined) continue;
    const { kind, region, name } = incident;
    const workload = name === undefined ? undefined : { kind, region, name };
    const attempt = { refusal, workload, verb: "watch", origin, who, account: incident.account };
    return reply.send(await refusedPost(deps, attempt), "refused");
  }
  const about = { kind: "taken", verb: "watch", account, ...subjectOf(incidents, settings) } as const; // a literal kind
  const event = originEvent(origin, who, about);
  if (await store.takeAlert({ id: alertId, teamId }, who, event)) logEvent(deps, event);
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
): Pick<NewHistoryEvent, "workload" | "result"> {
  const [only, ...others] = incidents;
  if (only?.name !== undefined && others.length === 0) return eventAbout({ ...only, names: only.name }, settings, "");
  const names = [...new Set(incidents.map(({ name = "the workload API" }) => name))].toSorted();
  const more = names.length > NAMED ? [counted(names.length - NAMED, "more workload")] : [];
  return { workload: undefined, result: [...names.slice(0, NAMED), ...more].join(", ") };
}
