import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../platform/make-folder.ts";

/** The file in GANTRY_DATA with the address of the running playground, by which `npm run say` finds it. */
function pathIn(dataDir: string): string {
  return join(dataDir, "playground-url");
}

/** The saved address; undefined if no playground runs with this folder. */
export function readPlaygroundAddress(dataDir: string): string | undefined {
  try {
    const url = readFileSync(pathIn(dataDir), "utf8").trim();
    return URL.canParse(url) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Saves the address. Only a convenience: a folder that can't be written doesn't stop a start. */
export function savePlaygroundAddress(dataDir: string, url: string): void {
  const path = pathIn(dataDir);
  try {
    makeFolder(dataDir, { mode: 0o700 });
    writeFileSync(`${path}.new`, `${url}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // `say` then needs PLAYGROUND_URL or PLAYGROUND_PORT.
  }
}

/** Removes the address, unless another playground has saved its own in the meantime. */
export function removePlaygroundAddress(dataDir: string, url: string): void {
  if (readPlaygroundAddress(dataDir) !== url) return;
  rmSync(pathIn(dataDir), { force: true });
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The address that `say` uses: PLAYGROUND_URL, PLAYGROUND_PORT and PLAYGROUND_HOST, the playground that runs with this
 * GANTRY_DATA, then the default. Port 0 means any free port, so it says nothing.
 */
export function findPlayground(env: Env, dataDir: string): string {
  const { PLAYGROUND_URL: url, PLAYGROUND_HOST: host = "", PLAYGROUND_PORT: port = "" } = env;
  if (url !== undefined && url !== "") return url.replace(/\/$/u, "");
  const named = Number(port) === 0 ? "" : port;
  const saved = readPlaygroundAddress(dataDir);
  if (named === "" && (host === "" || saved !== undefined)) return saved ?? "http://127.0.0.1:3001";
  return `http://${reachable(host)}:${named || "3001"}`;
}

/** The host as part of a URL; this machine for "every address". */
function reachable(host: string): string {
  if (["", "0.0.0.0", "::"].includes(host)) return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
