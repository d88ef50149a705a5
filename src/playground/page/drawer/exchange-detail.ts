import { Fragment, h, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Json, type JsonObject, parseJson } from "../../json.ts";
import type { WireExchange } from "../../live/wire.ts";
import { fullTime } from "../app/format-time.ts";
import { directionWords, tookWords } from "./exchange-row.ts";
import { exchangeBodies } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";

/** The SDK sends blocks and views as JSON text: show them parsed. */
function unpacked(_name: string, value: unknown): unknown {
  const isPacked = typeof value === "string" && /^[[{]/.test(value);
  return isPacked ? (parseJson(value) ?? value) : value;
}

function pretty(value: Json | undefined): string {
  if (value === undefined || value === null) return "(empty)";
  return typeof value === "string" ? value : JSON.stringify(value, unpacked, 2);
}

function Body({ title, value }: { readonly title: string; readonly value: Json | undefined }): JSX.Element {
  const { attempt, notify } = useApp();
  const text = pretty(value);
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
export function ExchangeDetail({ exchange }: { readonly exchange: WireExchange }): JSX.Element {
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
      { class: "exchange-facts" },
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
