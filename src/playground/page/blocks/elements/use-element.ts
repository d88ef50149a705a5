import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { type Json, type JsonObject, textOf } from "../../../json.ts";
import { initialValue, wordsOf } from "../../../block-kit.ts";
import { type BlockContext, type ElementRef, heldIn, stateOf, valueKey } from "../block-context.ts";

export type ElementProps = {
  readonly element: JsonObject;
  readonly block: JsonObject;
  readonly context: BlockContext;
  /** The accessible name of an element without a label. */
  readonly name: string;
  /** In an input block: the ids of the label, and of the hint and error. */
  readonly labelId?: string | undefined;
  readonly describedBy?: string | undefined;
};

type UsedElement = {
  /** The text, the chosen option or options, an id, a date; null for none. */
  readonly value: Json;
  readonly isBusy: boolean;
  /** Stores a new value on the page, without telling the bot. */
  readonly hold: (value: Json) => void;
  /** Sends an action. Does nothing in an input block without dispatch_action. */
  readonly send: (value: Json) => void;
  /** `hold` and `send`. */
  readonly pick: (value: Json) => void;
  /** Shown after the element: that the bot did not answer. */
  readonly extras: JSX.Element;
};

function refOf(props: ElementProps): ElementRef {
  return { blockId: textOf(props.block["block_id"]), actionId: textOf(props.element["action_id"]) };
}

function useSending(props: ElementProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const send = (held: Json): void => {
    setBusy(true);
    setFailure("");
    props.context
      .act({ ...refOf(props), value: stateOf(textOf(props.element["type"]), held) })
      .catch((error: unknown) => setFailure(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  return { isBusy, failure, send };
}

function useHeld(props: ElementProps) {
  const [own, setOwn] = useState<JsonObject>();
  const ref = refOf(props);
  const hold = (held: Json): void => {
    const value = stateOf(textOf(props.element["type"]), held);
    setOwn(value);
    props.context.onInput({ ...ref, value });
  };
  return { value: heldIn(props.context.values[valueKey(ref)] ?? own ?? initialValue(props.element)), hold };
}

/** An element's value, and the functions that change it and tell the bot. */
export function useElement(props: ElementProps): UsedElement {
  const { isBusy, failure, send: sendNow } = useSending(props);
  const { value, hold } = useHeld(props);
  const send = (next: Json): void => {
    // Elements in input blocks send actions only with dispatch_action.
    if (props.block["type"] === "input" && props.block["dispatch_action"] !== true) return;
    sendNow(next);
  };
  const error = failure === "" ? null : h("span", { class: "act-failed", role: "alert" }, `⚠ ${failure}`);
  return {
    value,
    isBusy,
    hold,
    send,
    pick: (next) => {
      hold(next);
      send(next);
    },
    extras: h("span", { class: "element-extras" }, error),
  };
}

/** Attributes of every field: its name, its description, whether it is invalid. */
export function fieldAttributes(props: ElementProps) {
  const isWrong = props.context.errors[textOf(props.block["block_id"])] !== undefined;
  return {
    "aria-labelledby": props.labelId,
    "aria-label": props.labelId === undefined ? props.name : undefined,
    "aria-describedby": props.describedBy,
    "aria-invalid": isWrong || undefined,
    "aria-required": props.block["type"] === "input" && props.block["optional"] !== true ? true : undefined,
    autofocus: props.element["focus_on_load"] === true || undefined,
    placeholder: wordsOf(props.element, "placeholder") || undefined,
  };
}
