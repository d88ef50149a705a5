import type { IncomingMessage } from "node:http";

/** A host and maybe a port: anything else before the path would move the path's beginning. */
const HOST = /^[^\s/?#@\\]+$/u;

/**
 * The URL that a request asks for. Undefined when its target and its Host header make none: both are whatever a
 * stranger typed, and `new URL` throws for some of it (`//`, `http://:`). Without a Host header, as in HTTP/1.0, the
 * host is `localhost`; two Host headers could mean one host to a proxy and another to us.
 */
export function urlOf({
  url = "",
  headersDistinct,
}: Pick<IncomingMessage, "url" | "headersDistinct">): URL | undefined {
  const [host = "localhost", ...others] = headersDistinct["host"] ?? [];
  if (others.length > 0) return undefined;
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  if (!url.startsWith("/")) return /^https?:\/\//iu.test(url) ? (URL.parse(url) ?? undefined) : undefined;
  // `//name` is another host to some readers of URLs (Bolt's is one) and a path to others.
  return /^\/[/\\]/u.test(url) ? undefined : (URL.parse(`http://${host}${url}`) ?? undefined);
}
