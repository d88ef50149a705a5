import { kinds } from "../../src/service/engines/kubernetes/cluster/kinds.ts";
import { kubeConfigOf } from "../../src/service/engines/kubernetes/cluster/connect.ts";
import { openBenchEngine } from "./kubernetes/open-engine.ts";
import { machineClock } from "../../src/platform/clock.ts";

/** Does nothing, as an engine or with watches alone, and tells its time on the processor when asked; started by idle.ts. */

const [way = "", kubeconfig = "", namespace = "", ...resources] = process.argv.slice(2);

/** Reads watches and throws away what they say; opens each again when its time is over. */
async function keepWatches(): Promise<void> {
  const config = await kubeConfigOf({ kubeconfig: { path: kubeconfig }, context: undefined }, machineClock);
  const server = config.getCurrentCluster()?.server ?? "";
  const headers = { authorization: `Bearer ${config.getCurrentUser()?.token ?? ""}` };
  for (const resource of resources) {
    const kind = Object.values(kinds).find(({ plural }) => plural === resource);
    if (!kind) throw new Error(`no kind has the plural ${resource}`);
    const place = `${server}/${kind.group}/namespaces/${namespace}/${resource}`;
    const listed = (await (await fetch(`${place}?limit=1`, { headers })).json()) as {
      metadata: { resourceVersion: string };
    }; // a list
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=3600&resourceVersion=${listed.metadata.resourceVersion}`;
    const { body } = await fetch(`${place}?${query}`, { headers });
    void body?.pipeTo(new WritableStream());
  }
}

if (way === "watches") await keepWatches();
else await (await openBenchEngine(kubeconfig, namespace)).list();
process.on("message", () => process.send?.(process.cpuUsage()));
process.send?.("ready");
