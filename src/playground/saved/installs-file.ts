import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Installs } from "../installs/installs.ts";
import type { Slack } from "../installs/slack.ts";
import { installIn } from "../installs/installs.ts";
import { wakeBot } from "../installs/install.ts";

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

function textOf({ all }: Installs): string {
  const installs = [...all.values()].map(({ teams, ...install }) => ({ ...install, teams: [...teams] }));
  return JSON.stringify({ version: 1, installs });
}

/** Reads the installations. A damaged file counts as none: the app is then installed again. */
function load({ installs, worlds }: Slack, path: string): void {
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
  load(slack, path);
  let written = textOf(slack.installs);
  const save = (): void => {
    const text = textOf(slack.installs);
    if (text === written) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
    written = text;
  };
  for (const { watchers } of slack.worlds()) watchers.add(save);
}
