import type { Insertable, Selectable } from "kysely";
import { z } from "zod";
import {
  type Card,
  requestIdOf,
  type StoredChange,
  type Vote,
  wayBackDelivery,
  wayBackEnd,
} from "../changes/stored-change.ts";
import { optional } from "../optional.ts";
import type { NewChange } from "../workflow/stored.ts";
import type { Session } from "./database/session.ts";
import { LOST, openJson, type TextSealer } from "./database/text-sealer.ts";
import { LinesJson, OwnerJson, parseRow, plainText, TermsJson, toJson } from "./schema/columns.ts";
import { ChangeRow, type ChangeTable } from "./schema/tables.ts";

const WithCard = ChangeRow.extend({ card: optional(z.string().transform(cardIn)) });

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
  const {
    requesterId: userId,
    requesterName,
    workloadKind: kind,
    workloadRegion: region,
    workloadName: name,
    workloadUid: uid,
    accountOwner: owner,
    accountUsername: username,
    ...same
  } = parseRow(WithCard, { ...row, ...openedText(sealer, row) }, `Change ${row.id}`);
  const workload = { kind, region, name, uid };
  return {
    ...same,
    requester: { userId, name: requesterName },
    workload,
    account: { owner, username },
    votes,
    expiresAt: same.state === "pending" ? same.expiresAt : undefined,
    ...wayBackIn({ ...same, workload }),
  };
}

function wayBackIn({
  deliveryId,
  undoOf,
  ...change
}: Pick<StoredChange, "deliveryId" | "undoOf" | "ending" | "workload">) {
  if (undoOf === undefined || deliveryId !== wayBackDelivery(undoOf)) return {};
  const end = wayBackEnd(change);
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
    is_undone: 0,
    notice: null,
  };
}
