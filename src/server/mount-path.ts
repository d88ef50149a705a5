/** Over these a container would lose its own programs, or the time zone that `sync_timezone` mounts. */
const wholeFolders = new Set(["/bin", "/boot", "/etc", "/etc/localtime", "/lib", "/lib64", "/sbin", "/usr"]);
/** The kernel fills these; nothing of a workload can be mounted in them. */
const kernelFolders = ["/dev", "/proc", "/sys"];

/** The path in the one form that paths are compared in: without a slash at its end. */
export function plainMountPath(path: string): string {
  return path.replace(/\/$/, "");
}

/** Why nothing can be mounted at a path of the documented form; undefined when something can. Pure. */
export function wrongMountPath(path: string): string | undefined {
  const plain = plainMountPath(path);
  if (plain.split("/").some((segment) => segment === "." || segment === "..")) {
    return "must be an absolute path without . and ..";
  }
  const isOfKernel = kernelFolders.some((folder) => plain === folder || plain.startsWith(`${folder}/`));
  if (!isOfKernel && !wholeFolders.has(plain)) return undefined;
  return `is ${plain}, a folder of the system: choose one of its own for the volume, such as /data`;
}
