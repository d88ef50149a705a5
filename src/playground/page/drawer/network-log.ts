import { Fragment, h, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WireExchange } from "../../wire.ts";
import { useApp, exchangeBodies } from "../app/page-state.ts";
import { useStickToEnd } from "../controls/use-stick-to-end.ts";
import { exactTime, fullTime } from "../app/format-time.ts";
import { type Json, type JsonObject, parseJson } from "../../json.ts";

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
    { class: "inspector-tools row" },
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
    { ref: pane, class: "exchange-list scroll", tabIndex: 0, role: "region", "aria-label": "Requests and answers" },
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
    { class: detail === undefined ? "inspector fill" : "inspector fill with-detail" },
    h(Tools, { filter, refused: refused.length, onFilter: setFilter, lastId: exchanges.at(-1)?.id ?? 0 }),
    shown.length === 0 ? h("p", { class: "pane-note" }, hint) : h(List, { shown, chosen, onChoose: choose }),
    detail === undefined ? null : h(ExchangeDetail, { exchange: detail }),
  );
}

/** Slack's limit for an ack: https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response */
const ackMs = 3000;
const slowMs = 1000;

function speed({ direction, ms }: WireExchange): string {
  if (direction === "from bot" || ms === null || ms < slowMs) return "fine";
  return ms < ackMs ? "slow" : "late";
}

/** "12 ms", or "1.2 ms" below 10 ms. */
function msWords(ms: number | null): string {
  if (ms === null) return "…";
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

/** For requests to the bot the ack counts; some frames of Socket Mode have none. */
function tookWords({ direction, status, ms, outcome, connection }: WireExchange): string {
  if (direction === "from bot" || ms === null) return msWords(ms);
  if (status !== null || (connection !== null && outcome === "ok")) return `acked in ${msWords(ms)}`;
  return outcome === "ok" ? "sent" : `no answer, ${msWords(ms)}`;
}

function directionWords({ direction }: WireExchange): string {
  return direction === "to bot" ? "Slack → Gantry" : "Gantry → Slack";
}

/** One request and its answer as a line. */
function ExchangeRow(props: {
  readonly exchange: WireExchange;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  const { exchange, isChosen, onChoose } = props;
  const { kind, atMs, status, outcome, refusal } = exchange;
  const isBad = refusal !== null || (outcome !== "ok" && outcome !== "" && outcome !== "HTTP 429");
  return h(
    "li",
    null,
    h(
      "button",
      {
        type: "button",
        class: `exchange bare ${isBad ? "bad" : ""}`,
        "aria-expanded": isChosen,
        onClick: onChoose,
      },
      h("span", { class: "cut" }, exactTime(atMs)),
      h("span", { class: exchange.direction === "to bot" ? "cut to" : "cut" }, directionWords(exchange)),
      h("span", { class: "exchange-kind cut" }, kind),
      h("span", { class: "exchange-status cut" }, status === null ? "–" : String(status)),
      h("span", { class: `exchange-ms cut ${speed(exchange)}` }, tookWords(exchange)),
      h("span", { class: "exchange-outcome cut" }, refusal === null ? outcome : refusal.sentence),
    ),
  );
}

/** The SDK sends blocks and views as JSON text: show them parsed. */
function unpacked(_name: string, value: unknown): unknown {
  const isPacked = typeof value === "string" && /^[[{]/.test(value);
  return isPacked ? (parseJson(value) ?? value) : value;
}

function Body({ title, value }: { readonly title: string; readonly value: Json | undefined }): JSX.Element {
  const { attempt, notify } = useApp();
  const isText = typeof value === "string";
  const text = value === undefined || value === null ? "(empty)" : isText ? value : JSON.stringify(value, unpacked, 2);
  const copy = (): void => attempt(navigator.clipboard.writeText(text).then(() => notify(`${title} copied.`)));
  return h(
    "section",
    { class: "exchange-body" },
    h("h4", null, title),
    h(
      "button",
      { type: "button", class: "btn small", "aria-label": `Copy the ${title.toLowerCase()}`, onClick: copy },
      "Copy",
    ),
    h("pre", { tabIndex: 0, "aria-label": title }, text),
  );
}

function Refusal({ exchange }: { readonly exchange: WireExchange }): JSX.Element | null {
  const { refusal } = exchange;
  if (refusal === null) return null;
  return h(
    "p",
    { class: "refusal" },
    h("strong", null, "Refused. "),
    refusal.sentence,
    " ",
    h(
      "a",
      { href: refusal.link, target: "_blank", rel: "noopener noreferrer" },
      `Slack's documentation (${refusal.rule})`,
    ),
  );
}

type BodiesProps = { readonly exchange: WireExchange; readonly bodies: JsonObject };

function Bodies({ exchange, bodies }: BodiesProps): JSX.Element {
  return h(
    Fragment,
    null,
    exchange.connection === null ? null : h(Body, { title: "Envelope", value: bodies["envelope"] }),
    h(Body, { title: "Request", value: bodies["request"] }),
    h(Body, { title: "Answer", value: bodies["answer"] }),
  );
}

/** The bodies of an exchange, shown once they are here and fetched again when its answer arrives. */
function ExchangeDetail({ exchange }: { readonly exchange: WireExchange }): JSX.Element {
  const [bodies, setBodies] = useState<JsonObject>();
  const { attempt } = useApp();
  useEffect(() => {
    let isShown = true;
    const load = async (): Promise<void> => {
      const loaded = await exchangeBodies(exchange.id);
      if (isShown) setBodies(loaded);
    };
    attempt(load());
    return () => void (isShown = false);
  }, [exchange.id, exchange.ms]);
  return h(
    "div",
    { class: "exchange-detail" },
    h("h3", null, exchange.kind),
    h(
      "p",
      { class: "exchange-facts muted" },
      [
        directionWords(exchange),
        fullTime(exchange.atMs),
        exchange.connection === null ? `status ${exchange.status ?? "none"}` : `connection ${exchange.connection}`,
        tookWords(exchange),
      ].join(" · "),
    ),
    h(Refusal, { exchange }),
    bodies === undefined ? null : h(Bodies, { exchange, bodies }),
  );
}
