import { createHash } from "node:crypto";
import { join } from "node:path";

/** Where things of a workload lie on the host. Every part of a path that a user chose goes through `segment`. */

/** A volume of a job: the user's, by its name; it outlives the job, as a host path does. */
export function jobVolume(dataDir: string, username: string, volume: string): string {
  return join(dataDir, "volumes", segment(username), segment(volume));
}

/** A disk of a service: the user's in that region; what it holds is kept when the service is deleted. */
export function serviceDisk(dataDir: string, owner: { username: string; region: string }, disk: string): string {
  return join(dataDir, "disks", segment(owner.username), segment(owner.region), segment(disk));
}

/** The working folder of a workload's processes; it goes with the workload. */
export function workFolder(dataDir: string, uid: string): string {
  return join(dataDir, "work", segment(uid));
}

/** One name as one part of a path: never `..`, a separator or too long, and different names stay different, also on a
 * file system that does not tell upper from lower case. */
export function segment(name: string): string {
  if (/^[a-z0-9_-]{1,60}$/.test(name)) return name;
  const readable = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 40);
  return `${readable}.${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}
