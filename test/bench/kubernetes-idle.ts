import { openBenchEngine } from "./kubernetes/open-engine.ts";

/** An engine that does nothing once it has listed, and tells its time on the processor when asked; started by idle.ts. */

const [kubeconfig = "", namespace = ""] = process.argv.slice(2);

await (await openBenchEngine(kubeconfig, namespace)).list();
process.on("message", () => process.send?.(process.cpuUsage()));
process.send?.("ready");
