import type { Sealer } from "../../accounts/seal.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Ask } from "../../ask.ts";
import { undoAsk } from "../../commands/verbs.ts";
import { changeIn, contentOf, type Content } from "../stored-request.ts";

/** The Ask that takes a Change back; of several workloads, those that were changed. Undefined when there is none. */
export function undoRequest(sealer: Sealer, change: StoredChange, content: Content): Ask | undefined {
  if (change.parts === undefined) return undoAsk(changeIn(content));
  const done = change.parts.filter(({ state }) => state === "done");
  const asks = done.map((part) => {
    const own = contentOf(sealer, part)?.change;
    return own && undoAsk(own);
  });
  return together(asks);
}

/** One Ask for all, if they differ only in the workload. */
function together(asks: readonly (Ask | undefined)[]): Ask | undefined {
  const [first] = asks;
  const names = asks.map((ask) => (ask?.verb === first?.verb ? onlyName(ask) : undefined));
  const known = names.filter((name) => name !== undefined);
  if (first === undefined || known.length < names.length) return undefined;
  return { ...first, args: { names: known } };
}

function onlyName(ask: Ask | undefined): string | undefined {
  const { name, ...others } = ask?.args ?? {};
  return typeof name === "string" && Object.keys(others).length === 0 ? name : undefined;
}

/** The same for the workloads that it didn't change, by a button of its card; undefined when there are none. */
export function restRequest({ parts = [] }: StoredChange, ask: Ask): Ask | undefined {
  const rest = parts.filter(({ state }) => state !== "done");
  if (rest.length === 0) return undefined;
  return { ...ask, args: { names: rest.map(({ workload: { kind, name } }) => `${kind}/${name}`) } };
}
