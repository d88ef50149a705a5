import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireExchange } from "../../live/wire.ts";
import { ExchangeDetail } from "./exchange-detail.ts";
import { ExchangeRow } from "./exchange-row.ts";
import { useApp } from "../app/app-context.ts";
import { useStickToEnd } from "../controls/use-stick-to-end.ts";

type Filter = { readonly onlyRefused: boolean; readonly afterId: number };

function Tools(props: {
  readonly filter: Filter;
  readonly refused: number;
  readonly onFilter: (filter: Filter) => void;
  readonly lastId: number;
}): JSX.Element {
  const { filter, refused, onFilter, lastId } = props;
  return h(
    "div",
    { class: "inspector-tools" },
    h(
      "label",
      { class: "check" },
      h("input", {
        type: "checkbox",
        checked: filter.onlyRefused,
        onChange: () => onFilter({ ...filter, onlyRefused: !filter.onlyRefused }),
      }),
      `Only refused (${refused})`,
    ),
    h(
      "button",
      { type: "button", class: "btn small", onClick: () => onFilter({ ...filter, afterId: lastId }) },
      "Clear",
    ),
  );
}

function List(props: {
  readonly shown: readonly WireExchange[];
  readonly chosen: number | undefined;
  readonly onChoose: (id: number) => void;
}): JSX.Element {
  const { shown, chosen, onChoose } = props;
  const { pane, content } = useStickToEnd("inspector");
  return h(
    "div",
    { ref: pane, class: "exchange-list", tabIndex: 0, role: "region", "aria-label": "Requests and answers" },
    h(
      "div",
      { ref: content },
      h(
        "ol",
        null,
        shown.map((exchange) =>
          h(ExchangeRow, {
            key: exchange.id,
            exchange,
            isChosen: exchange.id === chosen,
            onChoose: () => onChoose(exchange.id),
          }),
        ),
      ),
    ),
  );
}

const hint = "All requests between Slack and Gantry appear here. Type a command, then select a line to see its JSON.";

/** All requests between Slack and the bot. */
export function NetworkLog(): JSX.Element {
  const { exchanges } = useApp().workspace;
  const [filter, setFilter] = useState<Filter>({ onlyRefused: false, afterId: 0 });
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const recent = exchanges.filter((each) => each.id > filter.afterId);
  const refused = recent.filter((each) => each.refusal !== null);
  const shown = filter.onlyRefused ? refused : recent;
  const detail = shown.find((each) => each.id === chosen);
  const choose = (id: number): void => setChosen(id === chosen ? undefined : id);
  return h(
    "div",
    { class: detail === undefined ? "inspector" : "inspector with-detail" },
    h(Tools, { filter, refused: refused.length, onFilter: setFilter, lastId: exchanges.at(-1)?.id ?? 0 }),
    shown.length === 0 ? h("p", { class: "pane-note" }, hint) : h(List, { shown, chosen, onChoose: choose }),
    detail === undefined ? null : h(ExchangeDetail, { exchange: detail }),
  );
}
