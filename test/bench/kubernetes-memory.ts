import { kinds } from "../../src/service/engines/kubernetes/cluster/kinds.ts";
import { testCluster } from "../support/cluster.ts";
import { openBenchEngine } from "./kubernetes/open-engine.ts";

/** Prints the memory of this process once it holds a namespace in the given way; started by kubernetes.ts. */

const [way = "", namespace = ""] = process.argv.slice(2);
const cluster = await testCluster();

/** The answers of the API server, as text or parsed. */
async function answers(): Promise<readonly string[]> {
  const paths = (["Deployment", "Pod"] as const).map((kind) => {
    const { group, plural } = kinds[kind];
    return `/${group}/namespaces/${namespace}/${plural}`;
  });
  const bodies = await Promise.all(paths.map((path) => cluster.must({ method: "GET", path })));
  return bodies.map((body) => JSON.stringify(body));
}

async function hold(): Promise<unknown> {
  if (way === "text") return await answers();
  if (way === "parsed") return (await answers()).map((text): unknown => JSON.parse(text));
  const engine = await openBenchEngine(cluster.kubeconfig, namespace);
  await engine.list();
  return engine;
}

const held = await hold();
// Twice: the first collection frees what the second one can move.
for (let n = 0; n < 2; n += 1) globalThis.gc?.();
const { rss, heapUsed, external } = process.memoryUsage();
process.stdout.write(`${JSON.stringify({ rss, used: heapUsed + external, held: held !== undefined })}\n`);
process.exit(0);
