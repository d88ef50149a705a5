import type { Logger } from "pino";
import { listen, type Listener } from "../http/listen.ts";

type Where = { readonly host: string; readonly port: number };

export type Exposed = { readonly text: () => Promise<string>; readonly contentType: string };

/** Metrics have a port of their own, which Slack and people don't reach. Throws an Error with a sentence when it can't be had. */
export function serveMetrics({ text, contentType }: Exposed, where: Where, log: Logger): Promise<Listener> {
  const answer = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname !== "/metrics")
      return Response.json({ message: "see /metrics" }, { status: 404 });
    if (request.method !== "GET" && request.method !== "HEAD") return new Response(undefined, { status: 405 });
    return new Response(await text(), { headers: { "content-type": contentType } });
  };
  return listen(answer, {
    ...where,
    variable: "GANTRY_METRICS_PORT",
    onTrouble: (message, data) => log.warn("error" in data ? { ...data, err: data.error } : data, message),
  });
}
