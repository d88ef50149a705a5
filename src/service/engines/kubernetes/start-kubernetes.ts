import { readFile } from "node:fs/promises";
import { type DatabaseAddress, loadTls } from "../../../platform/database/database-tls.ts";
import type { OpenedEngine } from "../../engine.ts";
import type { ClusterConfig } from "./cluster/cluster-config.ts";
import { checkClusters, foundLines } from "./config/check-clusters.ts";
import { currentContext } from "./config/current-context.ts";
import { readClusters } from "./config/read-clusters.ts";
import type { KubernetesEngineOptions } from "./engine-options.ts";
import { openKubernetesEngine } from "./kubernetes-engine.ts";

type Choice = { readonly clustersPath: string | undefined; readonly database: DatabaseAddress | undefined };
type Parts = Pick<KubernetesEngineOptions, "dataDir" | "users" | "onEvent">;

/**
 * Reads the clusters, asks each of them, and opens the engine on them. Throws an Error with sentences when a setting is
 * wrong or a cluster doesn't answer; nothing is running then.
 */
export async function startKubernetes(
  { clustersPath, database }: Choice,
  parts: Parts,
): Promise<OpenedEngine & { readonly found: readonly string[] }> {
  const { users } = parts;
  const clusters = clustersPath === undefined ? [await currentContext(users)] : await clustersIn(clustersPath, users);
  const found = await checkClusters(clusters, users);
  const opened = await openKubernetesEngine({ ...parts, database: database && withCertificates(database), clusters });
  return { ...opened, found: foundLines(found) };
}

/** Throws an Error that names the file when a certificate can't be read. */
function withCertificates({ url, tls }: DatabaseAddress) {
  return { url, tls: loadTls(tls, "SERVICE_DATABASE") };
}

async function clustersIn(path: string, users: readonly string[]): Promise<readonly ClusterConfig[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Nothing was started: SERVICE_CLUSTERS can't be read (${why}). Set it to the path of a YAML file.`);
  });
  return readClusters(text, { path, users });
}
