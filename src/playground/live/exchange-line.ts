import { isObject, textOf } from "../json.ts";
import type { Exchange } from "../transcript.ts";
import type { WireExchange } from "./wire.ts";

function outcomeOf({ answer, status }: Exchange): string {
  if (isObject(answer) && answer["ok"] === false) return textOf(answer["error"]);
  if (status === undefined) return "";
  return status >= 200 && status < 300 ? "ok" : `HTTP ${status}`;
}

/** An exchange as a line of the inspector. */
export function exchangeJson(exchange: Exchange): WireExchange {
  const { id, direction, kind, atMs, status, ms, refusal } = exchange;
  const line = { id, direction, kind, atMs, outcome: outcomeOf(exchange) };
  return { ...line, status: status ?? null, ms: ms ?? null, refusal: refusal ?? null };
}
