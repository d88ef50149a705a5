import { createApi, type ApiAccount } from "../../src/api/client.ts";
import { listen } from "../../src/platform/http/listen.ts";
import { serve } from "../../src/service/api/serve.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { memoryEngine } from "../service/support/memory-engine.ts";
import { images } from "../service/support/memory-store.ts";

/** A workload API that runs nothing and counts the writes to each service. */
export type Service = {
  readonly url: string;
  readonly account: ApiAccount;
  /** Makes a service of two instances, past the bot and without counting it. */
  readonly create: (name: string) => Promise<void>;
  /** Writes that came in for a service so far. */
  readonly writes: (name: string) => number;
  readonly close: () => Promise<void>;
};

const REGION = "beijing1";

export async function openService(): Promise<Service> {
  const { engine, close } = memoryEngine({ regions: ["us", REGION] });
  const account = { username: "gantry", token: "a-token-that-only-the-soak-knows" };
  const answer = serve({ engine, users: [account], regions: ["us", REGION] });
  const api = createApi({ baseUrl: "http://service.invalid", send: sendTo(answer) }).as(account);
  const writes = new Map<string, number>();
  const counted = (request: Request): Promise<Response> => {
    const name = /\/services\/([^/?]+)/u.exec(request.url)?.[1];
    if (request.method !== "GET" && name !== undefined) writes.set(name, (writes.get(name) ?? 0) + 1);
    return answer(request);
  };
  const listener = await listen(counted, { host: "127.0.0.1", port: 0, variable: "PORT" });
  return {
    url: `http://127.0.0.1:${listener.port}`,
    account,
    async create(name) {
      const containers = [{ image: images.web, resources: { limits: { memory: "512" } } }];
      const path = { region: REGION, service_name: name };
      await api.send({ op: "createService", path, query: undefined, body: { target_instance_size: 2, containers } });
    },
    writes: (name) => writes.get(name) ?? 0,
    async close() {
      await listener.close();
      await close();
    },
  };
}
