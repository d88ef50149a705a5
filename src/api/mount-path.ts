import { requestLimits } from "./request-limits.ts";

/** Over these a container would lose its own programs, or the time zone that `sync_timezone` mounts. */
const wholeFolders = new Set(["/bin", "/boot", "/etc", "/etc/localtime", "/lib", "/lib64", "/sbin", "/usr"]);
/** The kernel fills these; nothing of a workload can be mounted in them. */
const kernelFolders = ["/dev", "/proc", "/sys"];

/** The form in which paths are compared: without a slash at the end. */
export function plainMountPath(path: string): string {
  return path.replace(/\/$/u, "");
}

/** Why no volume can be mounted there, to follow the name of the path; undefined when one can. Pure. */
export function wrongMountPath(path: string): string | undefined {
  if (path.length > requestLimits.mountPath) return `must have at most ${requestLimits.mountPath} characters`;
  if (!/^(?:\/[^/:\p{Cc}]+)+\/?$/u.test(path)) {
    return "must be an absolute path such as /data, without empty segments, colons and control characters";
  }
  const plain = plainMountPath(path);
  const segments = plain.split("/");
  if (segments.includes(".") || segments.includes("..")) return "must not have . or .. as a folder";
  const isOfKernel = kernelFolders.some((folder) => plain === folder || plain.startsWith(`${folder}/`));
  if (!isOfKernel && !wholeFolders.has(plain)) return undefined;
  return `must not be ${plain}, which belongs to the system: use another path, such as /data`;
}
