import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { Policy } from "../policy/policy.ts";
import { PolicyError, readPolicy } from "../policy/read-policy.ts";

const DEFAULT = "default.yaml";
/** Slack's id of a workspace: https://docs.slack.dev/reference/objects/team-object */
const NAME = /^(?:default|T[A-Z0-9]{2,})\.yaml$/u;

const Files = z.array(z.tuple([z.string(), z.string()]));

/** The policy files of a folder, as one text: so a change of any of them is noticed as that of one file. */
export async function readFolder(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/iu.test(name) && !name.startsWith("."));
  const read = names.toSorted().map(async (name) => [name, await readFile(join(folder, name), "utf8")]);
  return JSON.stringify(await Promise.all(read));
}

type Policies = { readonly of: (teamId: string | undefined) => Policy; readonly rules: number };

/**
 * The policies in what `readFolder` read: a workspace's own, else the default. Throws a `PolicyError` for the first file
 * with a problem: half of a changed folder must not hold.
 */
export function policiesIn(text: string, path: string): Policies {
  const files = Files.parse(JSON.parse(text));
  const policies = new Map(files.map(([name, content]) => [teamIn(name, path), policyIn(join(path, name), content)]));
  const byDefault = policies.get("default");
  if (byDefault === undefined) {
    throw new PolicyError(join(path, DEFAULT), [
      { line: 1, sentence: "It is missing. It holds in workspaces without a file of their own." },
    ]);
  }
  const rules = [...policies.values()].reduce((sum, policy) => sum + policy.rules.length, 0);
  return { rules, of: (teamId) => policies.get(teamId ?? "default") ?? byDefault };
}

/** Whether a file is the policy of one workspace. */
export function isOfTeam(file: string): boolean {
  return NAME.test(basename(file)) && basename(file) !== DEFAULT;
}

/** A file with another name would hold nowhere, and nobody would notice. */
function teamIn(name: string, path: string): string {
  if (NAME.test(name)) return name.slice(0, -".yaml".length);
  throw new PolicyError(join(path, name), [
    { line: 1, sentence: `Name it ${DEFAULT}, or after a workspace's id, like T0123ABCD.yaml.` },
  ]);
}

function policyIn(file: string, content: string): Policy {
  return readPolicy(content, file);
}
