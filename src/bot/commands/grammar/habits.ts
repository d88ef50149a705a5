/**
 * Words that people bring from other tools. `also` and `flags` mean exactly the same as ours, so they run at once, and
 * the verb's help shows them. `near` only comes close in meaning, so it is offered as a button.
 */
type Habit = {
  readonly also?: readonly string[];
  /** Other names of the verb's flags; one letter is typed with one hyphen. */
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  readonly near?: readonly string[];
};

const habits: Readonly<Record<string, Habit>> = {
  list: { also: ["ls", "ps", "get"], near: ["top", "services", "jobs", "workloads", "pods", "all", "overview"] },
  show: { also: ["describe", "info", "inspect"], near: ["details", "state"] },
  why: { also: ["diagnose"], near: ["debug", "explain", "troubleshoot"] },
  logs: {
    also: ["log", "tail"],
    flags: { size: ["tail", "lines", "n"], follow: ["f"], grep: ["g"] },
    near: ["output", "errors", "print", "read"],
  },
  create: { near: ["create-service", "create-job", "new", "add", "launch", "deploy"] },
  run: { also: ["trigger"], near: ["execute", "fire", "run-now", "invoke"] },
  scale: { flags: { instances: ["replicas"] }, near: ["resize", "replicas", "instances", "size"] },
  memory: { also: ["mem"], near: ["ram", "limit"] },
  domains: { also: ["domain"], near: ["dns", "url", "hostname"] },
  start: { near: ["up", "resume", "boot", "unpause"] },
  stop: { near: ["down", "halt", "pause", "suspend", "shutdown", "kill"] },
  restart: { near: ["reboot", "bounce", "recycle", "reload", "rollout", "kick"] },
  delete: { also: ["rm"], near: ["remove", "destroy", "del", "drop", "terminate", "erase", "kill"] },
  pending: { near: ["requests", "queue", "approvals", "waiting"] },
  approve: { near: ["accept", "lgtm", "allow"] },
  reject: { near: ["deny", "decline", "refuse"] },
  cancel: { near: ["abort", "withdraw", "revoke"] },
  history: { also: ["audit"], near: ["events", "activity", "changes"] },
  "can-i": { near: ["can", "may", "permissions", "allowed", "policy"] },
  whoami: { also: ["me"], near: ["who", "account"] },
  undo: { also: ["revert", "rollback"] },
  status: { also: ["health"], near: ["check", "doctor", "ping", "readyz"] },
  use: { near: ["bind", "switch", "context", "namespace"] },
  connect: { near: ["login", "signin", "link", "auth"] },
  disconnect: { near: ["logout", "signout", "unlink"] },
  help: { also: ["-h", "--help", "?", "man", "commands"], near: ["usage", "menu", "manual", "docs"] },
  version: { also: ["--version", "-v"], near: ["about", "release"] },
};

/** The verbs and their other names, without flags. */
export function wordsOfHabits(): readonly string[] {
  const all = Object.entries(habits).flatMap(([verb, { also = [] }]) => [verb, ...also]);
  return all.filter((word) => /^[a-z]/u.test(word));
}

function habitOf(verb: string): Habit {
  return Object.hasOwn(habits, verb) ? (habits[verb] ?? {}) : {};
}

/** Other names of a verb, which mean the same. */
export function aliasesOf(verb: string): readonly string[] {
  return habitOf(verb).also ?? [];
}

/** Other names of a verb's flags. */
export function flagAliasesOf(verb: string): Readonly<Record<string, readonly string[]>> {
  return habitOf(verb).flags ?? {};
}

/** Words of other tools that come close to a verb in meaning. */
export function nearMeaningsOf(verb: string): readonly string[] {
  return habitOf(verb).near ?? [];
}
