const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

function portOf(url: URL): string {
  return url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
}

function isOwnHost(own: URL, host: string, hosts: readonly string[]): boolean {
  if (host === own.host || hosts.includes(host)) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const asked = new URL(`http://${host}`);
  return loopback.has(asked.hostname) && portOf(asked) === portOf(own);
}

/** The headers of a request that say where it comes from and where it thinks it goes. */
export type Caller = { readonly host: string; readonly origin: string | undefined };

export function callerOf({ headers, url }: Request): Caller {
  return { host: headers.get("host") ?? new URL(url).host, origin: headers.get("origin") ?? undefined };
}

/**
 * The reason for refusing a request to a control route, or to open a WebSocket; undefined if it may pass. Checking Origin
 * keeps other web pages in the same browser from typing commands; checking Host stops DNS rebinding.
 */
export function foreignCaller(
  { url }: { readonly url: () => string },
  { host, origin }: Caller,
  hosts: readonly string[],
): string | undefined {
  if (!isOwnHost(new URL(url()), host, hosts))
    return `This is only for requests to a loopback address and port of the playground, not to ${host}.`;
  if (origin === undefined) return undefined;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host;
  return isOwn ? undefined : `This is not for web pages of ${origin}.`;
}
