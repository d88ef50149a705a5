import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { World } from "../world.ts";
import { Saved } from "./saved-shape.ts";
import { toSaved } from "./saved-workspace.ts";

/** Changes within this time are saved together. */
const gatherMs = 500;
/** After a save this many times its length passes before the next one, so that saving never fills the process's time. */
const restFactor = 50;

/** The name of another file next to one: "playground-harbour.json". */
export function besides(path: string, name: string): string {
  return path.replace(/(?=\.[a-z]+$)/u, `-${name}`);
}

type Loaded = { readonly saved: Saved | undefined; readonly notice: string | undefined };

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Moves the file away, so that the next save doesn't overwrite it. */
function setAside(path: string): string {
  const aside = `${path}.damaged`;
  try {
    renameSync(path, aside);
    return `The file is now ${aside}.`;
  } catch (error) {
    return `It couldn't be moved away either: ${messageOf(error)}`;
  }
}

/** Reads the saved workspace. A damaged file never stops a start: it is set aside, and the notice says so. */
export function loadWorkspace(path: string | undefined): Loaded {
  if (path === undefined || !existsSync(path)) return { saved: undefined, notice: undefined };
  try {
    return { saved: Saved.parse(JSON.parse(readFileSync(path, "utf8"))), notice: undefined };
  } catch {
    const notice = `Couldn't read the saved messages of the simulated Slack, so its channels start empty. ${setAside(path)}`;
    return { saved: undefined, notice };
  }
}

/** Replaces the file in one step: a reader, or a start after a crash, sees the old or the new one. */
function saveNow(world: World, path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, JSON.stringify(toSaved(world.state, world.clock.now())), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

type Saving = { readonly path: string; readonly onTrouble: (sentence: string) => void };

/** Saves the workspace soon after each change; `close` saves the last ones. */
export function keepSaved(world: World, { path, onTrouble }: Saving): { readonly close: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let delayMs = gatherMs;
  let isTroubled = false;
  const save = (): void => {
    timer = undefined;
    const started = performance.now();
    try {
      saveNow(world, path);
      isTroubled = false;
    } catch (error) {
      if (!isTroubled) onTrouble(`Couldn't save the messages of the simulated Slack: ${messageOf(error)}`);
      isTroubled = true;
    }
    delayMs = Math.max(gatherMs, restFactor * (performance.now() - started));
  };
  const watcher = (): void => {
    timer ??= setTimeout(save, delayMs);
  };
  world.watchers.add(watcher);
  return {
    close() {
      world.watchers.delete(watcher);
      clearTimeout(timer);
      save();
    },
  };
}
