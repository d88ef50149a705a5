import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Timer } from "../platform/clock.ts";
import type { Slack, World } from "./world.ts";
import { Saved, toSaved } from "./saved-workspace.ts";
import { installIn, type Installs } from "./installs/installs.ts";
import { wakeBot } from "./installs/install.ts";
import { makeFolder } from "../platform/make-folder.ts";

/** Changes within this time are saved together. */
const gatherMs = 500;
/** After a save this many times its length passes before the next one, so that saving never fills the process's time. */
const restFactor = 50;

/** The name of another file next to one: "playground-harbour.json". */
export function besides(path: string, name: string): string {
  return path.replace(/(?=\.[a-z]+$)/u, `-${name}`);
}

/** Replaces a file in one step: a reader, or a start after a crash, sees the old one or the new one. */
function replaceFile(path: string, text: string): void {
  makeFolder(dirname(path), { mode: 0o700 });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
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

type Saving = { readonly path: string; readonly onTrouble: (sentence: string) => void };

/** Saves the workspace soon after each change; `close` saves the last ones. */
export function keepSaved(world: World, { path, onTrouble }: Saving): { readonly close: () => void } {
  const { clock } = world;
  let timer: Timer | undefined;
  let delayMs = gatherMs;
  let isTroubled = false;
  const save = (): void => {
    timer = undefined;
    const started = clock.elapsedMs();
    try {
      replaceFile(path, JSON.stringify(toSaved(world.state, clock.nowMs())));
      isTroubled = false;
    } catch (error) {
      if (!isTroubled) onTrouble(`Couldn't save the messages of the simulated Slack: ${messageOf(error)}`);
      isTroubled = true;
    }
    delayMs = Math.max(gatherMs, restFactor * (clock.elapsedMs() - started));
  };
  const watcher = (): void => {
    timer ??= clock.after(delayMs, save);
  };
  world.watchers.add(watcher);
  return {
    close() {
      world.watchers.delete(watcher);
      timer?.cancel();
      save();
    },
  };
}

// The bot keeps its tokens in its database, so a restart must not end them.

const Token = z.object({ value: z.string(), refresh: z.string().optional(), expiresMs: z.number().optional() });

const SavedInstall = z.object({
  owner: z.string(),
  isOrgWide: z.boolean(),
  installer: z.string(),
  scopes: z.array(z.string()),
  teams: z.array(z.string()),
  tokens: z.array(Token),
});

const SavedInstalls = z.object({ version: z.literal(1), installs: z.array(SavedInstall) });

function installsJson({ all }: Installs): string {
  const installs = [...all.values()].map(({ teams, ...install }) => ({ ...install, teams: [...teams] }));
  return JSON.stringify({ version: 1, installs });
}

/** Reads the installations. A damaged file counts as none: the app is then installed again. */
function loadInstalls({ installs, worlds }: Slack, path: string): void {
  if (!existsSync(path)) return;
  let saved: z.infer<typeof SavedInstalls>;
  try {
    saved = SavedInstalls.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return;
  }
  for (const { teams, tokens, ...install } of saved.installs) {
    const kept = tokens.map(({ value, refresh, expiresMs }) => ({
      value,
      ...(refresh !== undefined && { refresh }),
      ...(expiresMs !== undefined && { expiresMs }),
    }));
    installs.all.set(install.owner, { ...install, teams: new Set(teams), tokens: kept });
  }
  for (const world of worlds()) if (installIn(installs, world.state.team.id) !== undefined) wakeBot(world);
}

/** Reads the installations of an app, and saves them after each change. Its tokens are in the file. */
export function keepInstalls(slack: Slack, path: string): void {
  loadInstalls(slack, path);
  let written = installsJson(slack.installs);
  const save = (): void => {
    const text = installsJson(slack.installs);
    if (text === written) return;
    replaceFile(path, text);
    written = text;
  };
  for (const { watchers } of slack.worlds()) watchers.add(save);
}
