import { useEffect, useState } from "preact/hooks";
import { textOf } from "../../../json.ts";
import { type ChoiceGroup, groupsOf, isExternal, matching, ownGroups } from "./choice.ts";
import type { ElementProps } from "./use-element.ts";

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

type Asking = Offers & { readonly query: string };

const nothing: readonly ChoiceGroup[] = [];

/** Asks the bot for options while typing; an answer to an outdated query is dropped. */
function useSuggestions(props: ElementProps, query: string, isOn: boolean): Offers {
  const [asked, setAsked] = useState<Asking>();
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
export function useOffers(props: ElementProps, query: string, isOpen: boolean): Offers {
  const isAsked = isExternal(props.element);
  const suggested = useSuggestions(props, query, isOpen && isAsked);
  const offers = isAsked ? suggested : { groups: matching(ownGroups(props.context, props.element), query), notice: "" };
  const isEmpty = offers.groups.every(({ choices }) => choices.length === 0);
  return isEmpty && offers.notice === "" ? { groups: nothing, notice: "Nothing matches." } : offers;
}
