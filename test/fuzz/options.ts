import { parseArgs } from "node:util";

export const settingNames = ["plain", "files", "disk", "raw"] as const;
export type SettingName = (typeof settingNames)[number];

export type Options = {
  readonly seed: number;
  /** To the workload API; the first setting gets half of them. Raw ones come on top. */
  readonly requests: number;
  readonly settings: readonly SettingName[];
  readonly allowSkip: boolean;
};

export const usage = `npm run test:fuzz -- [options]
  --seed N         a whole number; the same one makes the same requests (random, and printed)
  --requests N     requests to the workload API over all settings (21000)
  --setting NAME   plain, files (256 open files), disk (a full small disk), raw (what is no HTTP, to every port of every
                   program, half as many again) or all (all)
  --allow-skip     leave out what this machine cannot do, instead of failing
`;

/** Throws an Error with one sentence when they make no sense. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      requests: { type: "string", default: "21000" },
      setting: { type: "string", default: "all" },
      "allow-skip": { type: "boolean", default: false },
    },
  });
  const { setting } = values;
  const settings = settingNames.filter((name) => setting === "all" || setting === name);
  if (settings.length === 0) throw new Error(`--setting has to be ${settingNames.join(", ")} or all`);
  return {
    seed: count("--seed", values.seed),
    requests: count("--requests", values.requests),
    settings,
    allowSkip: values["allow-skip"],
  };
}

function count(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} has to be a whole number from 1 on`);
  return number;
}
