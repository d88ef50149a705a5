import type { IncomingMessage, ServerResponse } from "node:http";
import type { Lanes } from "../../workflow/inbox/lanes.ts";

/** A page or check of the HTTP server. */
export type Route = {
  readonly path: string;
  readonly method: string[];
  /** The server answers for one that throws or rejects. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
};

type Checks = {
  /** Reasons why the bot can't do its work now, without secrets. */
  readonly missing: () => Promise<readonly string[]>;
  readonly lanes: Lanes["status"];
};

/**
 * `/healthz`: 200 while the process answers, with the load of its lanes. `/readyz`: 200 when it can do its work, else 503
 * with the reasons.
 */
export function healthRoutes({ missing, lanes }: Checks): Route[] {
  return [
    {
      path: "/healthz",
      method: ["GET"],
      handler: (_, response) => answer(response, 200, { status: "ok", lanes: lanes() }),
    },
    {
      path: "/readyz",
      method: ["GET"],
      async handler(_, response) {
        ready(response, await missing().catch(() => ["the check itself failed"]));
      },
    },
  ];
}

function ready(response: ServerResponse, missing: readonly string[]): void {
  if (missing.length === 0) answer(response, 200, { status: "ok" });
  else answer(response, 503, { status: "not ready", missing });
}

export function notFound(response: ServerResponse): void {
  answer(response, 404, { message: "there is nothing at this path" });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
