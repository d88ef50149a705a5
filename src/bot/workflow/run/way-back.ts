import { randomBytes } from "node:crypto";
import type { Change } from "../../changes/change.ts";
import { digestOf } from "../../changes/drift.ts";
import { earlierVersion } from "../../changes/revisions.ts";
import { type StoredChange, wayBackDelivery } from "../../changes/stored-change.ts";
import { containersAfter, riskOf, type Snapshot } from "../../changes/updatable-fields.ts";
import { newChangeId } from "../../commands/grammar/argument-types.ts";
import { changeEvent, logEvent } from "../history.ts";
import type { Inserted, NewChange } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import { changeIn, type Content, sealContent, staysIfStuck } from "../stored-request.ts";

/** A deploy whose new instances don't get ready, and the service as it is now. */
export type StuckDeploy = {
  readonly stored: StoredChange;
  readonly content: Content;
  readonly now: NonNullable<Snapshot>;
};

/**
 * Stores the way back of a deploy that doesn't get ready, unless it was asked to stop there. It is part of the approved
 * request, and a Change of its own: claimed once, and refused if the service was changed meanwhile. Calling it
 * again adds no second one. Undefined when there is nothing to go back to.
 */
export async function storeWayBack(deps: WorkflowParts, stuck: StuckDeploy): Promise<Inserted | undefined> {
  const { stored, content } = stuck;
  const wayBack = wayBackOf(stuck);
  if (wayBack === undefined) return undefined;
  const { to, change: back } = wayBack;
  const { region } = content.ask;
  const args = { name: `service/${stored.workload.name}`, revision: String(to) };
  const ask = { verb: "rollback", share: false, args, ...(region !== undefined && { region }) };
  for (;;) {
    const id = newChangeId(randomBytes);
    const draft: NewChange = {
      id,
      deliveryId: wayBackDelivery(stored.id),
      state: "approved",
      teamId: stored.teamId,
      requester: stored.requester,
      channelId: stored.channelId,
      verb: ask.verb,
      reason: undefined,
      op: back.call.op,
      workload: back.workload,
      risk: riskOf(back.call, back.before),
      diff: back.diff,
      digest: digestOf(back),
      sealed: sealContent(deps.sealer, id, { change: back, ask, threadTs: content.threadTs }),
      account: stored.account,
      rule: stored.rule,
      terms: undefined,
      breakGlass: stored.breakGlass,
      undoOf: stored.id,
    };
    const event = changeEvent(deps, draft, { kind: "requested", result: back.diff.join("; ") });
    const inserted = await deps.store.insertChange(draft, event);
    if (inserted === "taken") continue;
    // Only a request of a person has to be answered before another one.
    if ("unanswered" in inserted) return undefined;
    if (inserted.change.id === id) logEvent(deps, event);
    return inserted.change.deliveryId === draft.deliveryId ? inserted : undefined;
  }
}

function wayBackOf({ content, now }: StuckDeploy): { readonly to: number; readonly change: Change } | undefined {
  const { isDeploy = false, ...deployed } = changeIn(content);
  const { call, before, workload, backTo } = deployed;
  const earlier = earlierVersion(deployed);
  if (call.op !== "updateService" || earlier === undefined || staysIfStuck(content.ask)) return undefined;
  // One that is a way back itself leads nowhere else: two versions that don't get ready would replace each other for ever.
  if (call.body.revision !== undefined && !isDeploy) return undefined;
  const { revision: to, images: imagesThen } = earlier;
  const images = (now.images ?? []).flatMap((image, at) => {
    const then = imagesThen?.[at];
    return image === undefined || then === undefined || image === then ? [] : [`image ${image} → ${then}`];
  });
  // A revision doesn't say which memory limit it had.
  const containersThen =
    backTo === undefined ? containersAfter({}, before) : imagesThen?.map((image) => ({ image, memoryMiB: undefined }));
  const why = `back to version ${to} automatically: the new instances don't get ready`;
  const change: Change = {
    call: { ...call, body: { revision: to } },
    workload,
    before: now,
    diff: [...images, why],
    isWayBack: true,
    footprint: {
      containers: containersThen,
      instanceMiB: backTo === undefined ? before?.instanceMiB : undefined,
      instances: now.size,
    },
  };
  return { to, change };
}
