import { h, type JSX } from "preact";
import type { WireExchange } from "../../live/wire.ts";
import { exactTime } from "../app/format-time.ts";

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
export function tookWords({ direction, status, ms, outcome, connection }: WireExchange): string {
  if (direction === "from bot" || ms === null) return msWords(ms);
  if (status !== null || (connection !== null && outcome === "ok")) return `acked in ${msWords(ms)}`;
  return outcome === "ok" ? "sent" : `no answer, ${msWords(ms)}`;
}

export function directionWords({ direction }: WireExchange): string {
  return direction === "to bot" ? "Slack → Gantry" : "Gantry → Slack";
}

/** One request and its answer as a line. */
export function ExchangeRow(props: {
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
        class: `exchange ${isBad ? "bad" : ""}`,
        "aria-expanded": isChosen,
        onClick: onChoose,
      },
      h("span", { class: "exchange-time" }, exactTime(atMs)),
      h("span", { class: `exchange-way ${exchange.direction === "to bot" ? "to" : "from"}` }, directionWords(exchange)),
      h("span", { class: "exchange-kind" }, kind),
      h("span", { class: "exchange-status" }, status === null ? "–" : String(status)),
      h("span", { class: `exchange-ms ${speed(exchange)}` }, tookWords(exchange)),
      h("span", { class: "exchange-outcome" }, refusal === null ? outcome : refusal.sentence),
    ),
  );
}
