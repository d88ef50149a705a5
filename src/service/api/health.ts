import { features, type OpenedEngine } from "../engine.ts";
import { json } from "./answers.ts";

type Fetch = (request: Request) => Promise<Response>;
export type Healthy = Pick<OpenedEngine, "ready" | "about">;

/** Answers `/healthz`, which needs no token; everything else goes to `fetch`. For a server without a socket. */
export function withHealth(fetch: Fetch, engine: Healthy): Fetch {
  return async (request) => (isHealth(new URL(request.url).pathname) ? health(engine) : fetch(request));
}

export function isHealth(path: string): boolean {
  return path === "/healthz";
}

/** 200 while requests can be served, else 503. It names the engine; undefined while that is being opened. */
export function health(engine: Healthy | undefined): Response {
  if (!engine) return json(503, { status: "starting" });
  const readiness = engine.ready();
  const about = described(engine);
  return readiness.ok
    ? json(200, { status: "ok", engine: about })
    : json(503, { status: "not ready", message: readiness.reason, engine: about });
}

function described({ about }: Healthy): object {
  const { name, title, regions, updates } = about();
  return {
    name,
    title,
    // Beyond the API's document: see MemoryUpdate and ServiceUpdate in openapi.yaml.
    update_memory: "any",
    updates,
    // See docs/events.openapi.yaml.
    events: true,
    regions: regions.map(({ cannot, ...region }) => ({
      ...region,
      cannot: cannot.map(({ feature, effect, why }) => {
        const { words, field } = features[feature];
        return { field, what: words, effect, why };
      }),
    })),
  };
}
