import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type JsonObject, objectsOf, textOf } from "../../json.ts";
import type { WireSnapshot, WireView } from "../../wire.ts";
import { elementsOf } from "../../block-kit.ts";
import { type BlockContext, type ElementRef, type Listed, valueKey } from "../blocks/block-context.ts";
import { perform, type AppState, useApp } from "../app/page-state.ts";
import { userName } from "../app/workspace.ts";

/** The message or view that contains the blocks. */
type BlockContainer =
  | { readonly in: "message"; readonly channel: string; readonly ts: string }
  | { readonly in: "view"; readonly view: WireView };

/** By `valueKey`. */
type Edits = BlockContext["values"];

/** The values of a view's fields: the workspace's state, overridden by local edits. */
function valuesOf(container: BlockContainer, edits: Edits): Edits {
  if (container.in === "message") return edits;
  const kept = Object.entries(container.view.state).flatMap(([blockId, actions]) =>
    Object.entries(actions).map(([actionId, state]) => [valueKey({ blockId, actionId }), state] as const),
  );
  return { ...Object.fromEntries(kept), ...edits };
}

function fieldsOf(view: WireView): readonly ElementRef[] {
  return objectsOf(view.content["blocks"]).flatMap((block) =>
    elementsOf(block).map((element) => ({
      blockId: textOf(block["block_id"]),
      actionId: textOf(element["action_id"]),
    })),
  );
}

/** Local edits as state.values; fields that the bot has removed are left out. */
export function filledIn(view: WireView, edits: Edits): JsonObject {
  const values: Record<string, Record<string, JsonObject>> = {};
  for (const { blockId, actionId } of fieldsOf(view)) {
    const value = edits[valueKey({ blockId, actionId })];
    if (value !== undefined) values[blockId] = { ...values[blockId], [actionId]: value };
  }
  return values;
}

/**
 * Local edits. Once they were sent and the bot changed the view, the workspace's state is the truth: a field that was
 * removed and comes back is empty, as in Slack.
 */
function useEdits(container: BlockContainer) {
  const [edits, setEdits] = useState<Edits>({});
  const sent = useRef<Edits>({});
  const blocks = container.in === "view" ? JSON.stringify(container.view.content["blocks"]) : "";
  useEffect(() => {
    const { current } = sent;
    sent.current = {};
    if (Object.keys(current).length === 0) return;
    setEdits((before) => Object.fromEntries(Object.entries(before).filter(([key, value]) => current[key] !== value)));
  }, [blocks]);
  return {
    edits,
    edit: (key: string, value: JsonObject) => setEdits((before) => ({ ...before, [key]: value })),
    markSent: () => void (sent.current = edits),
  };
}

/** A select of conversations leaves out direct ones: its filter says so. */
function listed(snapshot: WireSnapshot, what: "users" | "conversations"): readonly Listed[] {
  if (what === "users") return snapshot.users.map(({ id, name }) => ({ id, name: `@${name}` }));
  return snapshot.channels.flatMap(({ id, name, kind }) => (kind === "im" ? [] : [{ id, name: `#${name}` }]));
}

/** Throws if the bot did not ack: the element shows the error. */
function acked(answer: JsonObject): JsonObject {
  const error = textOf(answer["error"]);
  if (error !== "") throw new Error(`This app did not respond: ${error}`);
  return answer;
}

type Actions = Pick<BlockContext, "act" | "suggest">;

function actionsIn(container: BlockContainer, as: string, edits: Edits): Actions {
  const at: JsonObject =
    container.in === "view"
      ? { in: "view", id: container.view.id }
      : { in: "message", channel: container.channel, ts: container.ts };
  return {
    async act({ blockId, actionId, value }) {
      const values = container.in === "view" ? filledIn(container.view, edits) : {};
      acked(await perform("act", { as, at, blockId, actionId, value, values }));
    },
    async suggest({ blockId, actionId, query }) {
      return objectsOf(acked(await perform("suggest", { as, at, blockId, actionId, query }))["options"]);
    },
  };
}

function namesIn({ snapshot }: AppState): Pick<BlockContext, "user" | "channel" | "usergroup" | "listed"> {
  return {
    user: (id) => userName(snapshot, id),
    channel: (id) => snapshot.channels.find((each) => each.id === id)?.name ?? id,
    usergroup: (id) => snapshot.groups.find((each) => each.id === id)?.handle ?? id,
    listed: (what) => listed(snapshot, what),
  };
}

/** The block context of a message or view, and its edits that were not sent yet. */
export function useBlockContext(container: BlockContainer) {
  const app = useApp();
  const { edits, edit, markSent } = useEdits(container);
  const { snapshot, now, route } = app;
  const containerKey = container.in === "view" ? container.view : container.ts;
  const context = useMemo((): BlockContext => {
    const onInput = (event: ElementRef & { readonly value: JsonObject }): void => edit(valueKey(event), event.value);
    return {
      ...namesIn(app),
      ...actionsIn(container, route.as, edits),
      errors: container.in === "view" ? container.view.errors : {},
      values: valuesOf(container, edits),
      onInput,
      now,
    };
  }, [snapshot, now, edits, containerKey, route.as]);
  return { context, edits, markSent };
}
