import { KubeError } from "../cluster/kube-api.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import { refuseAdopted } from "./adopted.ts";
import { isGone } from "./sent-once.ts";
import { cacheOf, objectOf, type Target, wantedService } from "./target.ts";

/**
 * Deletes a service; its disks stay. In the foreground: the Deployment is there, and is told as Deleting, until its
 * instances are gone, and until then nobody else gets its name.
 */
export async function deleteService(target: Target): Promise<string> {
  const found = wantedService(target);
  refuseAdopted(found, "delete", target.region.config);
  const named = objectOf(found);
  const { metadata } = found.source.object;
  const { api } = target.region;
  try {
    await api.delete(named, { propagation: "Foreground", uid: metadata.uid });
    const left = await api.get(named).catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    });
    if (left?.metadata.uid === metadata.uid) cacheOf(target).saw(named.kind, left);
    else cacheOf(target).sawDeleted(named.kind, metadata);
  } catch (error) {
    if (!isAnother(error)) throw refusalOf(error, { doing: `delete the service ${target.name}`, wrote: true });
    cacheOf(target).sawDeleted(named.kind, metadata);
  }
  return "Service was deleted successfully";
}

/** The one that was asked for is gone; another may have its name already. */
export function isAnother(error: unknown): boolean {
  return isGone(error) || (error instanceof KubeError && error.status === 409);
}
