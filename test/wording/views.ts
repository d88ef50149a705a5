export type View = { readonly title: string; readonly files: RegExp };

/** Where people read the texts of a file; the first that matches counts. */
export const views: readonly View[] = [
  {
    title: "Cards of requests",
    files:
      /^bot\/(?:views\/cards|changes|workflow\/(?:run|send|judge|follow|propose|draft|decide|failure|sweep|retire|context-line|history|origin|repeat\/|several\/))/u,
  },
  { title: "Doctor and status", files: /^bot\/(?:health|views\/messages\/status|compose\/health)|^bin\/doctor/u },
  { title: "Audit", files: /^bot\/(?:audit|store\/audit|compose\/audit)|^bin\/audit/u },
  { title: "Home", files: /^bot\/(?:views\/home|slack\/home)/u },
  { title: "Forms", files: /^bot\/(?:views\/forms|commands\/forms|slack\/modals)/u },
  { title: "list", files: /^bot\/commands\/verbs\/list/u },
  { title: "show", files: /^bot\/commands\/verbs\/show/u },
  { title: "logs", files: /^bot\/(?:commands\/verbs\/logs|views\/kit\/log-text|logs)/u },
  { title: "create", files: /^bot\/commands\/verbs\/create/u },
  { title: "help and menu", files: /^bot\/commands\/verbs\/help/u },
  { title: "history and pending", files: /^bot\/commands\/verbs\/(?:history|pending)/u },
  { title: "can-i, whoami, use, connect", files: /^bot\/commands\/verbs\/(?:can-i|whoami|use|account-links)/u },
  { title: "Other verbs", files: /^bot\/commands\/verbs/u },
  { title: "What people type", files: /^bot\/commands|^bot\/slack\/receive\/typed/u },
  { title: "Answers and errors", files: /^bot\/(?:views|workflow|accounts|watch)|^bot\/(?:errors|ask)/u },
  { title: "Policy", files: /^bot\/policy/u },
  { title: "Slack", files: /^bot\/slack/u },
  { title: "Workload API: problems seen by the bot", files: /^api/u },
  { title: "Workload API: our own service", files: /^service/u },
  {
    title: "Start and configuration",
    files: /^(?:bot\/compose|bin|main|platform\/(?:database\/database-|observing\/|settings))/u,
  },
  { title: "Playground: page", files: /^playground\/page\//u },
  { title: "Playground: the simulated Slack", files: /^playground/u },
];

/** Nobody but a developer reads a text of these. */
export const unread: ReadonlyMap<RegExp, string> = new Map([
  [/^api\/schema\.ts$/u, "types, generated from openapi.yaml"],
  [/^bot\/store\/(?!audit\/)/u, "SQL"],
  [
    /^bot\/commands\/grammar\/(?:plain-sentences|sentence-words|dictionary|facets|manners)\.ts$/u,
    "patterns of what people type",
  ],
  [/^(?:platform\/http|bot\/logs\/threads)\//u, "limits of servers and threads"],
  [
    /^platform\/(?:clock|waiting|bounded-map|turns|trail|zones|make-(?:folder|private)|optional)\.ts$/u,
    "comments only",
  ],
  [/^platform\/(?:log|database\/(?:sqlite|postgres|group-commit|checkpoints))\.ts$/u, "the log, the database"],
  [/^platform\/version\.ts$/u, "a number"],
  [/^bot\/optional\.ts$/u, "a schema"],
]);

export function viewOf(file: string): View | undefined {
  return [...unread.keys()].some((each) => each.test(file)) ? undefined : views.find(({ files }) => files.test(file));
}
