import type { World } from "../world.ts";

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

function portOf(url: URL): string {
  return url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
}

function isOwnHost(world: World, host: string, hosts: readonly string[]): boolean {
  if (hosts.includes(host)) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const asked = new URL(`http://${host}`);
  return loopback.has(asked.hostname) && portOf(asked) === portOf(new URL(world.url()));
}

/**
 * The reason for refusing a request to a control route; undefined if it may pass. Checking Origin keeps other web
 * pages in the same browser from typing commands; checking Host stops DNS rebinding.
 */
export function foreignCaller(world: World, request: Request, hosts: readonly string[]): string | undefined {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  if (!isOwnHost(world, host, hosts))
    return `This is only for requests to a loopback address and port of the playground, not to ${host}.`;
  const origin = request.headers.get("origin");
  if (origin === null) return undefined;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host;
  return isOwn ? undefined : `This is not for web pages of ${origin}.`;
}
