import type { Store, WorkspaceStore } from "../../store/store.ts";

/** Their first argument is the id of the workspace. */
const byTeam: ReadonlySet<keyof WorkspaceStore> = new Set([
  "allWatches",
  "announce",
  "bindingOf",
  "forgetProfile",
  "lastPolls",
  "mutesOf",
  "pendingChanges",
  "profilesOf",
  "removeAccount",
  "saveProfiles",
  "setFileWatches",
  "setRegion",
] as const); // names of functions
/** They ask no database. */
const plain: ReadonlySet<string> = new Set(["isOpen", "onDue", "sendWithinMs"]);

/** The store for one workspace: throws when it is given an id, or something, of another one. */
export function workspaceStore(store: Store, teamId: string): WorkspaceStore {
  // As deep as what an argument lists.
  const check = (value: unknown, depth = 0): void => {
    if (typeof value !== "object" || value === null) return;
    // Work that came from an older version belongs to no workspace.
    if ("teamId" in value && value.teamId !== teamId && value.teamId !== "") {
      throw new Error(`something of another workspace was asked for in ${teamId}`);
    }
    if (depth < 3) for (const inner of Object.values(value)) check(inner, depth + 1);
  };
  const own = Object.fromEntries(
    Object.entries(store).map(([name, value]: [string, unknown]) => {
      if (typeof value !== "function" || plain.has(name)) return [name, value];
      const isByTeam = (byTeam as ReadonlySet<string>).has(name); // a wider element
      const run = async (...args: readonly unknown[]): Promise<unknown> => {
        check(isByTeam ? [{ teamId: args[0] }, ...args] : args);
        return Reflect.apply(value, undefined, args);
      };
      return [name, run];
    }),
  ) as unknown as Store; // the same names, each with the type it had
  return {
    ...own,
    allWatches: (id = teamId) => own.allWatches(id),
    find: (key) => own.find(key, teamId),
    advance: (id, ...step) => own.advance(typeof id === "string" ? { id, teamId } : id, ...step),
  };
}
