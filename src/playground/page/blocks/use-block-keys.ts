import { useRef } from "preact/hooks";
import { type JsonObject, textOf } from "../../json.ts";

type Keyed = { readonly key: string; readonly id: string; readonly content: string };

function takeFirst(left: Keyed[], isIt: (keyed: Keyed) => boolean): Keyed | undefined {
  const at = left.findIndex(isIt);
  return at === -1 ? undefined : left.splice(at, 1)[0];
}

/**
 * Keys under which blocks stay on the page when their message or view is updated: a block with the same block_id keeps
 * its input, as in Slack. Slack makes up a new id where the app sends none, so a block that says the same as before
 * stays too: otherwise an update would take the focus, or a click, from a button that didn't change.
 */
export function useBlockKeys(blocks: readonly JsonObject[]): readonly string[] {
  const before = useRef<readonly Keyed[]>([]);
  const made = useRef(0);
  const left = [...before.current];
  const drawn = blocks.map((block) => {
    const { block_id: id, ...rest } = block;
    const one = { id: `${textOf(block["type"])} ${textOf(id)}`, content: JSON.stringify(rest) };
    return { ...one, key: takeFirst(left, (each) => each.id === one.id)?.key };
  });
  before.current = drawn.map(({ id, content, key }) => {
    const kept = key ?? takeFirst(left, (each) => each.content === content)?.key;
    return { id, content, key: kept ?? `block ${(made.current += 1)}` };
  });
  return before.current.map(({ key }) => key);
}
