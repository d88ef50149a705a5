import { shop, type Shop } from "./shop.ts";

type Line = { readonly instance_name: string; readonly log: string };

/** A workload API whose service checkout has this log, which a story goes on writing. */
export function logShop(log: Line[]): Shop {
  const state = shop();
  return {
    ...state,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (!pathname.endsWith("/services/checkout/logs")) return state.fetch(request);
      return Response.json(log.slice(-Number(searchParams.get("size"))));
    },
  };
}

const orders = (second: number, text: string, more: object = {}): Line => ({
  instance_name: "checkout-0",
  log: JSON.stringify({ time: `2026-11-20T09:40:${String(second).padStart(2, "0")}.412Z`, ...more, msg: text }),
});

/** Lines in JSON, some of which repeat. */
export const jsonLog: Line[] = [
  orders(1, "order received", { level: "info", order: 81933 }),
  ...[2, 4, 6, 8, 10].map((second) => orders(second, "payments did not answer", { level: "warn", retry_in: "2s" })),
  orders(12, "order failed", { level: "error", order: 81933, code: 504, token: "ca82b2f7a91e" }),
  orders(13, "order received", { level: "info", order: 81934 }),
  orders(14, "order paid", { level: "info", order: 81934, ms: 48 }),
];

/** What a service of two instances writes, a line at a time. */
export const followedLog = [
  "GET /cart 200 12ms",
  "POST /orders 201 48ms",
  "WARN pool: 18 of 20 connections in use",
  "ERROR POST /orders 504: payments did not answer",
  "WARN retrying order 81934 in 2 s",
  "POST /orders 201 51ms",
].map((text, at) => ({ instance_name: `checkout-${at % 2}`, log: `09:40:${10 + at * 3} ${text}` }));
