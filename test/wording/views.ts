export type View = { readonly title: string; readonly files: RegExp };

/** Where people read the texts of a file; the first that matches counts. */
export const views: readonly View[] = [
  {
    title: "Cards of requests",
    files:
      /^(?:views\/cards|changes|workflow\/(?:run|send|judge|follow|propose|draft|decide|failure|sweep|retire|context-line|history|origin|repeat\/|several\/))/u,
  },
  { title: "Doctor and status", files: /^(?:health|views\/status|boot\/health|bin\/doctor)/u },
  { title: "Home", files: /^(?:views\/home|slack\/home)/u },
  { title: "Forms", files: /^(?:views\/forms|commands\/forms|slack\/modals)/u },
  { title: "list", files: /^commands\/verbs\/list/u },
  { title: "show", files: /^commands\/verbs\/show/u },
  { title: "logs", files: /^(?:commands\/verbs\/logs|views\/logs|logs)/u },
  { title: "create", files: /^commands\/verbs\/create/u },
  { title: "help and menu", files: /^commands\/verbs\/help/u },
  { title: "history and pending", files: /^commands\/verbs\/(?:history|pending)/u },
  { title: "can-i, whoami, use, connect", files: /^commands\/verbs\/(?:can-i|whoami|use|account-links)/u },
  { title: "Other verbs", files: /^commands\/verbs/u },
  { title: "What people type", files: /^commands|^slack\/receive\/mention/u },
  { title: "Answers and errors", files: /^(?:views|workflow|errors|accounts)/u },
  { title: "Policy", files: /^policy/u },
  { title: "Slack", files: /^slack/u },
  { title: "Workload API: problems seen by the bot", files: /^api/u },
  { title: "Workload API: our own service", files: /^service/u },
  {
    title: "Start and configuration",
    files: /^(?:boot|bin|stand-ins|main|gantry|run-gantry|database-trouble|database-tls)/u,
  },
  { title: "Playground: page", files: /^playground\/page\//u },
  { title: "Playground: the simulated Slack", files: /^playground/u },
];

/** Nobody but a developer reads a text of these. */
export const unread: ReadonlyMap<RegExp, string> = new Map([
  [/^api\/schema\.ts$/u, "types, generated from openapi.yaml"],
  [/^store\//u, "SQL"],
  [/^commands\/grammar\/(?:plain-sentences|phrases|manners)\.ts$/u, "patterns of what people type"],
  [/^unawaited\.ts$/u, "warnings of the process"],
  [/^(?:http|log-worker)\//u, "limits of servers and threads"],
  [/^(?:log|sqlite|postgres)\.ts$/u, "the log, the database"],
  [/^version\.ts$/u, "a number"],
]);

export function viewOf(file: string): View | undefined {
  return [...unread.keys()].some((each) => each.test(file)) ? undefined : views.find(({ files }) => files.test(file));
}
