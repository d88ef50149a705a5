import { useEffect, useState } from "preact/hooks";
import {
  type Choice,
  type ChoiceGroup,
  groupsOf,
  heldChoices,
  matching,
  ownGroups,
  valueOfChoices,
} from "../block-context.ts";
import { type ElementProps, useElement } from "./use-element.ts";
import { textOf } from "../../../json.ts";
import { holdsMany } from "../../../block-kit.ts";

export type Selecting = ReturnType<typeof useSelecting>;

function toggled(chosen: readonly Choice[], choice: Choice): readonly Choice[] {
  const others = chosen.filter(({ key }) => key !== choice.key);
  return others.length < chosen.length ? others : [...chosen, choice];
}

/** The selection. As in Slack, a multi-select sends its action when the list closes, not at each choice. */
function useChosen(props: ElementProps) {
  const { value, hold, pick, send, isBusy, extras } = useElement(props);
  const [isChanged, setChanged] = useState(false);
  const { element } = props;
  const isMany = holdsMany(textOf(element["type"]));
  const chosen = heldChoices(props.context, element, value);
  const choose = (choice: Choice, isOpen: boolean): void => {
    if (!isMany) return pick(valueOfChoices(element, [choice]));
    const next = toggled(chosen, choice);
    if (!isOpen) return pick(valueOfChoices(element, next));
    hold(valueOfChoices(element, next));
    setChanged(true);
  };
  const finish = (): void => {
    if (isChanged) send(value);
    setChanged(false);
  };
  return { isMany, isBusy, extras, chosen, choose, finish, clear: () => pick(null) };
}

/** The keys of a combobox: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/#keyboardinteraction */
function keys(list: {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
  readonly move: (by: 1 | -1) => void;
  readonly chooseActive: () => void;
}): Readonly<Record<string, (event: KeyboardEvent) => void>> {
  const move = (by: 1 | -1) => (event: KeyboardEvent) => {
    event.preventDefault();
    if (list.isOpen) list.move(by);
    else list.open();
  };
  if (!list.isOpen) return { ArrowDown: move(1), ArrowUp: move(-1), Enter: list.open };
  return {
    ArrowDown: move(1),
    ArrowUp: move(-1),
    Enter: (event) => {
      event.preventDefault();
      list.chooseActive();
    },
    Escape: (event) => {
      // Closes only the list, not the modal around it.
      event.preventDefault();
      event.stopPropagation();
      list.close();
    },
    Tab: list.close,
  };
}

/** The next or previous line, wrapping around; -1 if there are none. */
function next(active: number, by: 1 | -1, count: number): number {
  if (count === 0) return -1;
  return active < 0 && by < 0 ? count - 1 : (active + by + count) % count;
}

function useList() {
  const [isOpen, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(-1);
  const shut = (): void => {
    setOpen(false);
    setQuery("");
  };
  return { isOpen, setOpen, query, setQuery, shut, active, setActive };
}

/**
 * The complete behaviour of a select: open, search, choose, close. `active` is the line that Enter would choose, -1 for
 * none; `toggle` chooses a line, or removes it from a multi-select.
 */
export function useSelecting(props: ElementProps) {
  const { isMany, isBusy, extras, chosen, choose, finish, clear } = useChosen(props);
  const { isOpen, setOpen, query, setQuery, shut, active, setActive } = useList();
  const offers = useOffers(props, query, isOpen);
  const flat = offers.groups.flatMap(({ choices }) => choices);
  const type = (text: string): void => {
    setQuery(text);
    setActive(text === "" ? -1 : 0);
    setOpen(true);
  };
  const close = (): void => {
    if (!isOpen) return;
    shut();
    finish();
  };
  const toggle = (choice: Choice): void => {
    choose(choice, isOpen);
    if (isMany) setQuery("");
    else shut();
  };
  const open = (): void => {
    if (isOpen || isBusy) return;
    setActive(flat.findIndex(({ key }) => key === chosen[0]?.key));
    setOpen(true);
  };
  const atActive = flat[active];
  const byKey = keys({
    isOpen,
    open,
    close,
    move: (by) => setActive(next(active, by, flat.length)),
    chooseActive: () => (atActive === undefined ? undefined : toggle(atActive)),
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = event.key === "Backspace" && query === "" && isMany ? chosen.at(-1) : undefined;
    if (last !== undefined) toggle(last);
    byKey[event.key]?.(event);
  };
  return { isOpen, isMany, isBusy, query, offers, active, chosen, open, close, type, toggle, clear, onKeyDown, extras };
}

// Three characters unless the element says otherwise:
// https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#external_select
const usualMinimum = 3;
// Assumed pause before Slack asks for options; it is not documented.
const typingPause = 300;

export type Offers = {
  readonly groups: readonly ChoiceGroup[];
  /** Shown in the list instead of choices. */
  readonly notice: string;
};

type Answered = Offers & { readonly query: string };

const nothing: readonly ChoiceGroup[] = [];

/** Asks the bot for options while typing; an answer to an outdated query is dropped. */
function useSuggestions(props: ElementProps, query: string, isOn: boolean): Offers {
  const [asked, setAsked] = useState<Answered>();
  const { element, block, context } = props;
  const minimum = Number(element["min_query_length"] ?? usualMinimum);
  const isTooShort = query.length < minimum;
  useEffect(() => {
    if (!isOn || isTooShort) return undefined;
    let isOver = false;
    const show = (groups: readonly ChoiceGroup[], notice: string): void => {
      if (!isOver) setAsked({ query, groups, notice });
    };
    const ask = (): void => {
      context
        .suggest({ blockId: textOf(block["block_id"]), actionId: textOf(element["action_id"]), query })
        .then((offered) => show(groupsOf(offered), ""))
        .catch((error: unknown) => show(nothing, error instanceof Error ? error.message : String(error)));
    };
    const timer = setTimeout(ask, query === "" ? 0 : typingPause);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isOn, isTooShort, query]);
  if (isTooShort) {
    return { groups: nothing, notice: `Type at least ${minimum} character${minimum === 1 ? "" : "s"} to search.` };
  }
  return asked?.query === query ? asked : { groups: asked?.groups ?? nothing, notice: "Searching …" };
}

/** The open list of a select for the current query. */
function useOffers(props: ElementProps, query: string, isOpen: boolean): Offers {
  const isAsked = props.element["type"] === "external_select";
  const suggested = useSuggestions(props, query, isOpen && isAsked);
  const offers = isAsked ? suggested : { groups: matching(ownGroups(props.context, props.element), query), notice: "" };
  const isEmpty = offers.groups.every(({ choices }) => choices.length === 0);
  return isEmpty && offers.notice === "" ? { groups: nothing, notice: "Nothing matches." } : offers;
}
