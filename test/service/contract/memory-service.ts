import { DEADLINE_MS } from "../../support/until.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { serve } from "../../../src/service/api/serve.ts";
import { makeToken } from "../../../src/service/api/users.ts";
import { memoryEngine } from "../support/memory-engine.ts";
import { images } from "../support/memory-store.ts";
import type { ServiceUnderTest } from "./world.ts";

const regions = ["us", "beijing1"] as const;

/** The service over the engine in memory. `change` may break the engine on purpose. */
export async function memoryService(
  change: (engine: Engine) => Engine = (engine) => engine,
): Promise<ServiceUnderTest> {
  const { engine, reach, close } = memoryEngine({ regions });
  const [user1, user2, newcomer] = [account("dana"), account("alex"), account("kim")];
  return {
    fetch: serve({ engine: change(engine), users: [user1, user2, newcomer], checkAnswers: true }),
    user1,
    user2,
    newcomer,
    regions,
    workloads: {
      web: {
        container: { image: images.web },
        otherImage: images.lasting,
        port: 8080,
        startLine: /^instance started$/,
      },
      lines: (count) => ({ image: images.lines, command: [String(count)] }),
      nthLine: (n, count) => `line ${n} of ${count}.`,
      failing: { image: images.failing },
      crashing: { image: images.failing },
      lasting: { image: images.lasting },
    },
    knows: { images: true, history: true },
    reach,
    deadlineMs: DEADLINE_MS,
    close,
  };
}

function account(username: string) {
  return { username, token: makeToken() };
}
