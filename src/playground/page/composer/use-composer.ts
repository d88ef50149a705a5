import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WireSnapshot } from "../../live/wire.ts";
import { accept, completionAt, type Completion, type Offer, usageOf } from "./completion.ts";

export type Composer = {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly completion: Completion | undefined;
  /** The suggestion that Enter would accept. */
  readonly chosen: number;
  readonly usage: string;
  readonly onInput: (event: Event) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly take: (offer: Offer) => void;
  /** Sets the text and puts the caret behind it. */
  readonly setText: (text: string) => void;
  readonly send: () => void;
};

type Options = {
  readonly snapshot: WireSnapshot;
  readonly onSend: (text: string) => void;
  readonly onShortcut: (callbackId: string) => void;
};

type Typed = {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly caret: number;
  /** The current text. */
  readonly note: (text: string, caret: number) => void;
  /** The new text. */
  readonly put: (text: string, caret: number) => void;
};

/** The text, and a field that grows with it up to a height set by the style sheet. */
function useTyped(): Typed {
  const field = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState({ text: "", caret: 0, isPut: false });
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight}px`;
    // While typing, the browser moves the caret.
    if (!typed.isPut) return;
    current.focus();
    current.setSelectionRange(typed.caret, typed.caret);
  }, [typed]);
  return {
    field,
    text: typed.text,
    caret: typed.caret,
    note: (text, caret) => setTyped({ text, caret, isPut: false }),
    put: (text, caret) => setTyped({ text, caret, isPut: true }),
  };
}

/** The text, its suggestions, and the key handlers of both. */
export function useComposer({ snapshot, onSend, onShortcut }: Options): Composer {
  const { field, text, caret, note, put } = useTyped();
  const [list, setList] = useState({ chosen: 0, isHidden: false });
  const completion = list.isHidden ? undefined : completionAt(snapshot, text, caret);
  const open = { chosen: 0, isHidden: false };
  const setText = (next: string, at = next.length): void => {
    setList(open);
    put(next, at);
  };
  const take = (offer: Offer): void => {
    if (offer.callbackId !== undefined) onShortcut(offer.callbackId);
    const next = accept(text, caret, { from: completion?.from ?? 0, insert: offer.insert });
    setText(next.text, next.caret);
  };
  const send = (): void => {
    if (text.trim() === "") return;
    onSend(text.trim());
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const steering = { chosen: list.chosen, change: setList, take };
    if (completion !== undefined && steer(event, completion, steering)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  const onInput = (event: Event): void => {
    const target = event.currentTarget as HTMLTextAreaElement; // the field it is set on
    setList(open);
    note(target.value, target.selectionStart);
  };
  const usage = usageOf(snapshot, text);
  return { field, text, completion, chosen: list.chosen, usage, onInput, onKeyDown, take, setText, send };
}

type Steering = {
  readonly chosen: number;
  readonly change: (list: { readonly chosen: number; readonly isHidden: boolean }) => void;
  readonly take: (offer: Offer) => void;
};

/** Enter sends a complete word instead of suggesting it again. */
function isWhole(offer: Offer, from: number, event: KeyboardEvent): boolean {
  const field = event.currentTarget as HTMLTextAreaElement; // the field the keys are typed in
  return event.key === "Enter" && field.value.slice(from, field.selectionStart) === offer.label;
}

/** Arrows, Enter, Tab and Escape in the suggestions; false if a key belongs to the text. */
function steer(event: KeyboardEvent, { from, offers }: Completion, { chosen, change, take }: Steering): boolean {
  const last = offers.length - 1;
  const offer = offers[Math.min(chosen, last)];
  const isTaking = (event.key === "Enter" || event.key === "Tab") && !event.shiftKey;
  if (event.key === "ArrowDown") change({ chosen: chosen >= last ? 0 : chosen + 1, isHidden: false });
  else if (event.key === "ArrowUp") change({ chosen: chosen <= 0 ? last : chosen - 1, isHidden: false });
  else if (event.key === "Escape") change({ chosen: 0, isHidden: true });
  else if (isTaking && offer !== undefined && !isWhole(offer, from, event)) take(offer);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
