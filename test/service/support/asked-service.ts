import { afterEach } from "vitest";
import type { Engine } from "../../../src/service/engine.ts";
import { serve, type ServeOptions } from "../../../src/service/api/serve.ts";
import { memoryEngine } from "./memory-engine.ts";
import { images } from "./memory-store.ts";

export const dana = { username: "dana", token: "dana-token-0123456789" };
export const alex = { username: "alex", token: "alex-token-0123456789" };
export const services = "/v1/regions/us/services";
/** A creation body that starts nothing. */
export const idle = JSON.stringify({ containers: [{ image: images.web }], target_instance_size: 0 });

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An engine in memory that is closed after the test. */
export function engineOfTest(): Engine {
  const { engine, close } = memoryEngine();
  closers.push(close);
  return engine;
}

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream;
type Sent = {
  readonly method?: string;
  readonly headers?: object;
  readonly body?: Body;
  readonly signal?: AbortSignal;
};

/** A service over that engine with two users, asked as dana; `logged` is what it has logged. */
export function service(options: Partial<ServeOptions> = {}, change: (good: Engine) => Partial<Engine> = () => ({})) {
  const engine = engineOfTest();
  const logged: { data: object; message: string }[] = [];
  const fetch = serve({
    engine: { ...engine, ...change(engine) },
    users: [dana, alex],
    log: {
      error: (data, message) => logged.push({ data, message }),
      warn: (data, message) => logged.push({ data, message }),
    },
    ...options,
  });
  const ask = async (path: string, { method = "GET", headers, body, signal }: Sent = {}) => {
    const request = new Request(`http://service.example${path}`, {
      method,
      ...(signal && { signal }),
      headers: {
        username: dana.username,
        Authorization: `token ${dana.token}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body, duplex: "half" }),
    });
    const response = await fetch(request);
    const text = await response.text();
    const isJson = text !== "" && response.headers.get("content-type") === "application/json";
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  return { ask, logged };
}
