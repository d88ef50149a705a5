import { createHash } from "node:crypto";

/**
 * Turns a name into one segment of a path: never `..`, a separator or too long. Different names stay different, also on
 * a case-insensitive file system.
 */
export function pathSegment(name: string): string {
  if (/^[a-z0-9_-]{1,60}$/.test(name)) return name;
  const readable = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 40);
  return `${readable}.${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}
