import type { Sealer } from "../accounts/seal.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { Ask } from "../ask.ts";
import { partsLeft, partsToUndo } from "../views/cards/several-card.ts";
import { undoAsk } from "../commands/verbs.ts";
import { changeIn, contentOf, nameIn, type Content } from "./stored-request.ts";

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
