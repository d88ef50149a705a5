import type { IncomingMessage, ServerResponse } from "node:http";

type Check = () => Promise<readonly string[]>;
type Route = {
  readonly path: string;
  readonly method: string[];
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
};

/**
 * `/healthz`: the process answers. `/readyz`: it can do its work; 503 names what is missing, in words without secrets.
 */
export function healthRoutes(missing: Check): Route[] {
  return [
    { path: "/healthz", method: ["GET"], handler: (_, response) => answer(response, []) },
    {
      path: "/readyz",
      method: ["GET"],
      handler(_, response) {
        missing().then(
          (what) => answer(response, what),
          () => answer(response, ["the check itself failed"]),
        );
      },
    },
  ];
}

function answer(response: ServerResponse, missing: readonly string[]): void {
  response.writeHead(missing.length === 0 ? 200 : 503, { "content-type": "application/json" });
  response.end(JSON.stringify(missing.length === 0 ? { status: "ok" } : { status: "not ready", missing }));
}
