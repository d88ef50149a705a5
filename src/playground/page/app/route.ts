import type { WireChannel, WireSnapshot } from "../../wire.ts";
import { channelName } from "./workspace.ts";

export type Tab = "messages" | "home";

/** The current person and channel. All of it is in the address, so that reloads, bookmarks and "back" return here. */
export type Route = {
  readonly as: string;
  /** A channel by name, or "@name" for a direct conversation. */
  readonly in: string;
  readonly thread?: string;
  readonly tab?: Tab;
};

export const firstRoute: Route = { as: "dana", in: "ops" };

/** Parses the query of an address. */
export function parseRoute(search: string): Route {
  const params = new URLSearchParams(search);
  const thread = params.get("thread");
  return {
    as: params.get("as") ?? firstRoute.as,
    in: params.get("in") ?? firstRoute.in,
    ...(thread === null ? {} : { thread }),
    ...(params.get("tab") === "home" ? { tab: "home" } : {}),
  };
}

export function formatRoute(route: Route): string {
  const params = new URLSearchParams({ as: route.as, in: route.in });
  if (route.thread !== undefined) params.set("thread", route.thread);
  if (route.tab !== undefined && route.tab !== "messages") params.set("tab", route.tab);
  // "@" is valid in a query, and easier to read.
  return `?${params.toString().replaceAll("%40", "@")}`;
}

const tabKey = "playground-app-tab";

/** The tab of the app that was open last, Home the first time, as in Slack. */
export function lastAppTab(): Tab {
  return sessionStorage.getItem(tabKey) === "messages" ? "messages" : "home";
}

export function rememberAppTab(tab: Tab): void {
  sessionStorage.setItem(tabKey, tab);
}

/** A channel's name in a route. */
export function routeName(snapshot: WireSnapshot, channel: WireChannel): string {
  return channel.partner === undefined ? channel.name : `@${channelName(snapshot, channel)}`;
}

/** The channel of a route; the first one if this person is not in it. */
export function routeChannel(snapshot: WireSnapshot, route: Route): WireChannel | undefined {
  return snapshot.channels.find((channel) => routeName(snapshot, channel) === route.in) ?? snapshot.channels[0];
}
