import { z } from "zod";
import type { Sealer } from "../accounts/seal.ts";
import { Change } from "../changes/change.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { Ask } from "../ask.ts";

/** The sealed part of a stored Change: the Call with its body, the words it came from, and where to answer. */
const Content = z.object({
  /** Undefined for several workloads: each part has its own. */
  change: Change.optional(),
  ask: Ask,
  /** Works for half an hour; the answer goes there when the bot can't post in the channel. */
  responseUrl: z.string().optional(),
  /** The thread of the request, and so of its card. */
  threadTs: z.string().optional(),
  /** The trace in which it was requested, which goes on in the replica that sends it. */
  trace: z.string().optional(),
});
export type Content = z.infer<typeof Content>;

/** Throws when the request is about several workloads: it is never sent itself, but its parts are. */
export function changeIn({ change }: Pick<Content, "change">): Change {
  if (change === undefined) throw new Error("a request for several workloads was taken for one of its parts");
  return change;
}

/** As `names` of its Ask has it. */
export function nameIn({ workload: { kind, name } }: Pick<Change, "workload">): string {
  return `${kind}/${name}`;
}

/** Whether a deploy whose new instances don't get ready stays as it is, instead of going back. */
export function staysIfStuck({ args }: Ask): boolean {
  return args["on-failure"] === "stop";
}

export function sealContent(sealer: Sealer, id: string, content: Content): string {
  return sealer.seal(JSON.stringify(content), ["change", id]);
}

/**
 * The thread of a request, if its card belongs there. A Change that can't be unsealed gets its card in the channel.
 */
export function threadOf({ channelId, terms }: StoredChange, content: Content | undefined): string | undefined {
  const cardIn = terms?.cardIn ?? channelId;
  return cardIn === channelId ? content?.threadTs : undefined;
}

/** The call that was approved is the call that is sent. Throws a `SealError` when the key is gone or the row was swapped. */
export function openContent(sealer: Sealer, { id, sealed }: Pick<StoredChange, "id" | "sealed">): Content {
  return Content.parse(JSON.parse(sealer.open(sealed, ["change", id])));
}

/** Whether its content was erased, with the data of a person or of a workspace that removed the app. */
export function isErased({ sealed }: Pick<StoredChange, "sealed">): boolean {
  return sealed === "";
}

/** For callers that can do without it: undefined when it can't be opened, or another version of Gantry wrote it. */
export function contentOf(sealer: Sealer, change: Pick<StoredChange, "id" | "sealed">): Content | undefined {
  try {
    return openContent(sealer, change);
  } catch {
    return undefined;
  }
}
