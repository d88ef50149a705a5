import type { Insertable, Selectable } from "kysely";
import { z } from "zod";
import type { WorkloadRef } from "../changes/change.ts";
import type { WriteOperationId } from "../policy/operation-facts.ts";
import {
  type Card,
  type ChangeState,
  requestIdOf,
  type StoredChange,
  type Vote,
  wayBackDelivery,
  wayBackEnd,
} from "../changes/stored-change.ts";
import type { Session } from "./database/session.ts";
import { LOST, openJson, type TextSealer } from "./database/text-sealer.ts";
import {
  EndingJson,
  Flag,
  fromJson,
  HealthJson,
  LinesJson,
  maybe,
  OwnerJson,
  parseRow,
  plainText,
  TermsJson,
  Time,
  toJson,
} from "./schema/columns.ts";
import type { NewChange } from "../workflow/stored.ts";
import type { ChangeTable } from "./schema/tables.ts";
import type { Risk } from "../policy/operation-facts.ts";

/** Each of these lists is complete, or it does not compile. */
const states = {
  pending: "pending",
  approved: "approved",
  claimed: "claimed",
  done: "done",
  failed: "failed",
  unknown: "unknown",
  rejected: "rejected",
  cancelled: "cancelled",
  expired: "expired",
  drifted: "drifted",
} as const satisfies { readonly [State in ChangeState]: State }; // a literal type for each, not string
const operations = {
  createJob: "createJob",
  deleteJob: "deleteJob",
  createService: "createService",
  deleteService: "deleteService",
  updateService: "updateService",
  startService: "startService",
  stopService: "stopService",
  restartService: "restartService",
} as const satisfies { readonly [Op in WriteOperationId]: Op }; // a literal type for each, not string
const risks = {
  routine: "routine",
  disruptive: "disruptive",
  destructive: "destructive",
} as const satisfies { readonly [R in Risk]: R }; // a literal type for each, not string
const kinds = { service: "service", job: "job" } as const satisfies { readonly [K in WorkloadRef["kind"]]: K }; // the same

const ChangeRow = z.object({
  id: z.string(),
  delivery_id: z.string(),
  state: z.enum(states),
  version: z.number().int(),
  team_id: z.string(),
  requester_id: z.string(),
  requester_name: z.string(),
  channel_id: z.string(),
  verb: z.string(),
  reason: maybe(z.string()),
  op: z.enum(operations),
  workload_kind: z.enum(kinds),
  workload_region: z.string(),
  workload_name: z.string(),
  workload_uid: maybe(z.string()),
  risk: z.enum(risks),
  diff: fromJson(LinesJson),
  digest: z.string(),
  sealed: z.string(),
  account_owner: fromJson(OwnerJson),
  account_username: z.string(),
  rule: z.string(),
  terms: maybe(fromJson(TermsJson)),
  break_glass: Flag,
  undo_of: maybe(z.string()),
  is_undone: Flag,
  notice: maybe(z.string()),
  created_at: Time,
  expires_at: maybe(Time),
  approved_at: maybe(Time),
  claimed_at: maybe(Time),
  settled_at: maybe(Time),
  ending: maybe(fromJson(EndingJson)),
  health: maybe(fromJson(HealthJson)),
  progress: maybe(fromJson(HealthJson)),
  notifies: Flag,
  card: maybe(z.string().transform(cardIn)),
});
type ChangeRow = z.infer<typeof ChangeRow>;

/** Undefined while it isn't posted. */
function cardIn(place: string): Card | undefined {
  const [channelId = "", ts] = place.split("/");
  return ts === undefined ? undefined : { channelId, ts };
}

/** Throws an Error that names the columns whose values can't be read. */
export function storedChange(
  sealer: TextSealer,
  row: Selectable<ChangeTable> & { readonly card: string | null },
  votes: readonly Vote[],
): StoredChange {
  const parsed = parseRow(ChangeRow, { ...row, ...openedText(sealer, row) }, `Change ${row.id}`);
  return {
    ...requestOf(parsed),
    state: parsed.state,
    version: parsed.version,
    votes,
    createdAt: parsed.created_at,
    expiresAt: parsed.state === "pending" ? parsed.expires_at : undefined,
    approvedAt: parsed.approved_at,
    claimedAt: parsed.claimed_at,
    settledAt: parsed.settled_at,
    ending: parsed.ending,
    health: parsed.health,
    progress: parsed.progress,
    isUndone: parsed.is_undone,
    ...wayBackIn(parsed),
    notice: parsed.notice,
    card: parsed.card,
  };
}

function wayBackIn({ delivery_id: deliveryId, undo_of: undoOf, ending, ...row }: ChangeRow) {
  if (undoOf === undefined || deliveryId !== wayBackDelivery(undoOf)) return {};
  const end = wayBackEnd({
    ending,
    workload: requestOf({ ...row, delivery_id: deliveryId, undo_of: undoOf, ending }).workload,
  });
  return { wayBackOf: requestIdOf(undoOf), ...(end && { wayBackEnd: end }) };
}

function openedText(sealer: TextSealer, { id, reason, diff, ending, health, progress }: Selectable<ChangeTable>) {
  const opened = sealer.open(diff, id);
  return {
    reason: reason === null ? null : sealer.open(reason, id),
    // The column holds JSON, so the placeholder becomes its only line.
    diff: opened === LOST ? JSON.stringify([LOST]) : opened,
    ending: ending && openJson(sealer, ending, id),
    health: health && openJson(sealer, health, id),
    progress: progress && openJson(sealer, progress, id),
  };
}

/** The columns that never change after the request. */
function requestOf(row: ChangeRow): Omit<NewChange, "state" | "waitKey" | "parts"> {
  return {
    id: row.id,
    deliveryId: row.delivery_id,
    teamId: row.team_id,
    requester: { userId: row.requester_id, name: row.requester_name },
    channelId: row.channel_id,
    verb: row.verb,
    reason: row.reason,
    op: row.op,
    workload: {
      kind: row.workload_kind,
      region: row.workload_region,
      name: row.workload_name,
      uid: row.workload_uid,
    },
    risk: row.risk,
    diff: row.diff,
    digest: row.digest,
    sealed: row.sealed,
    account: { owner: row.account_owner, username: row.account_username },
    rule: row.rule,
    terms: row.terms,
    breakGlass: row.break_glass,
    undoOf: row.undo_of,
    notifies: row.notifies,
  };
}

/** The columns of a new Change, without those that the database's clock and our id go into. */
export function newChangeRow({ textSealer }: Session, change: NewChange): Omit<Insertable<ChangeTable>, "created_at"> {
  const { requester, workload, account, terms } = change;
  return {
    id: change.id,
    delivery_id: change.deliveryId,
    state: change.state,
    version: 1,
    team_id: change.teamId,
    requester_id: requester.userId,
    requester_name: plainText(requester.name),
    channel_id: change.channelId,
    verb: change.verb,
    reason: change.reason === undefined ? null : textSealer.seal(plainText(change.reason), change.id),
    op: change.op,
    workload_kind: workload.kind,
    workload_region: workload.region,
    workload_name: workload.name,
    workload_uid: workload.uid ?? null,
    risk: change.risk,
    diff: textSealer.seal(toJson(LinesJson, change.diff), change.id),
    digest: change.digest,
    sealed: change.sealed,
    account_owner: toJson(OwnerJson, account.owner),
    account_username: account.username,
    rule: change.rule,
    terms: terms === undefined ? null : toJson(TermsJson, terms),
    break_glass: change.breakGlass ? 1 : 0,
    undo_of: change.undoOf ?? null,
    undo_key: change.undoOf ?? null,
    wait_key: change.waitKey ?? null,
    notifies: change.notifies === true ? 1 : 0,
    part_count: change.parts?.length ?? 0,
    ...notYet,
  };
}

const notYet = { is_undone: 0, notice: null } as const; // flags
