import { z } from "zod";
import type { Sealer } from "../accounts/seal.ts";
import { Change } from "../changes/change.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { Ask } from "../ask.ts";
import { partsLeft, partsToUndo } from "../views/cards/several-card.ts";
import { undoAsk } from "../commands/verbs.ts";

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

/** The Ask that takes a Change back; of several workloads, those that were changed. Undefined when there is none. */
export function undoRequest(sealer: Sealer, change: StoredChange, content: Content): Ask | undefined {
  if (change.parts === undefined) return undoAsk(changeIn(content), change.id);
  const asks = partsToUndo(change).map((part) => {
    const own = contentOf(sealer, part)?.change;
    return own && undoAsk(own, change.id);
  });
  return together(asks);
}

/** One Ask for all, if one verb takes all of them back. */
function together(asks: readonly (Ask | undefined)[]): Ask | undefined {
  const [first] = asks;
  if (first === undefined) return undefined;
  const each: Record<string, Ask["args"]> = {};
  for (const ask of asks) {
    const { name, ...own } = ask?.args ?? {};
    if (ask?.verb !== first.verb || typeof name !== "string") return undefined;
    each[name] = own;
  }
  const differs = Object.values(each).some((own) => Object.keys(own).length > 0);
  return { ...first, args: { names: Object.keys(each), ...(differs && { each }) } };
}

/** The same for the workloads that it didn't change, by a button of its card; undefined when there are none. */
export function restRequest(change: StoredChange, ask: Ask): Ask | undefined {
  const rest = partsLeft(change);
  if (rest.length === 0) return undefined;
  const { name: _name, ...args } = ask.args;
  return { ...ask, args: { ...args, names: rest.map(nameIn) } };
}
