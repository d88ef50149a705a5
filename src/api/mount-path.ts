import { requestLimits } from "./request-limits.ts";

/** A mount here would hide the container's own programs, or the time zone that `sync_timezone` mounts. */
const wholeFolders = new Set(["/bin", "/boot", "/etc", "/etc/localtime", "/lib", "/lib64", "/sbin", "/usr"]);
/** The kernel fills these; workloads can't mount anything in them. */
const kernelFolders = ["/dev", "/proc", "/sys"];

/** Normalizes a path for comparison: no trailing slash. */
export function plainMountPath(path: string): string {
  return path.replace(/\/$/u, "");
}

/** Why a volume can't be mounted at this path, phrased to follow the path; undefined when it can. Pure. */
export function wrongMountPath(path: string): string | undefined {
  if (path.length > requestLimits.mountPath) return `must have at most ${requestLimits.mountPath} characters`;
  if (!/^(?:\/[^/:\p{Cc}]+)+\/?$/u.test(path)) {
    return "must be an absolute path such as /data, without empty segments, colons or control characters";
  }
  const plain = plainMountPath(path);
  const segments = plain.split("/");
  if (segments.includes(".") || segments.includes("..")) return "must not contain . or .. segments";
  const isOfKernel = kernelFolders.some((folder) => plain === folder || plain.startsWith(`${folder}/`));
  if (!isOfKernel && !wholeFolders.has(plain)) return undefined;
  return `must not be ${plain}, which belongs to the system: use another path, such as /data`;
}
