/** What `gantry NAME` runs, in the order of its help. */
export const programs = {
  start: { summary: "Run the bot, with stand-ins for what isn't configured", hasOptions: false },
  bot: { summary: "Run the bot alone: it needs a Slack and a workload API", hasOptions: false },
  service: { summary: "Run the workload API alone", hasOptions: false },
  setup: { summary: "Connect Gantry to Slack and to your containers", hasOptions: true },
  doctor: { summary: "Check the deployment", hasOptions: true },
  audit: { summary: "Export history, and check that nobody changed it", hasOptions: true },
  backup: { summary: "Copy the database to one file, while Gantry runs", hasOptions: true },
  restore: { summary: "Put such a file in the place of the database", hasOptions: true },
  data: { summary: "Export or erase the data of one person", hasOptions: true },
  keys: { summary: "Show which keys are needed, and change them", hasOptions: true },
  policy: { summary: "Check a policy file, and explain what it decides", hasOptions: true },
  manifest: { summary: "Print the manifest of the Slack app", hasOptions: true },
  say: { summary: "Type as somebody in the simulated Slack", hasOptions: true },
} as const satisfies Readonly<Record<string, { readonly summary: string; readonly hasOptions: boolean }>>;

export type ProgramName = keyof typeof programs;

/** How somebody called this program: `npm run doctor --` in a clone, else `gantry doctor`. */
export function calledAs(name: ProgramName): string {
  return process.env["npm_lifecycle_event"] === name ? `npm run ${name} --` : `gantry ${name}`;
}

/** How to call another program, without options, in the way this one was called. */
export function alsoCalled(name: ProgramName): string {
  return process.env["npm_lifecycle_event"] === undefined ? `gantry ${name}` : `npm run ${name}`;
}
