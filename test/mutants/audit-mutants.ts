import type { Mutant } from "./mutants.ts";

const tampering = ["test/bot/store/audit/tampering.property.test.ts"];
const chain = ["test/bot/store/on-sqlite.test.ts"];
const restored = ["test/flows/when-gantry-fails/restored-backup.test.ts"];

export const auditMutants: readonly Mutant[] = [
  {
    bug: "a chain that somebody computed again is taken for Gantry's",
    file: "src/bot/store/audit/read-chain.ts",
    text: 'if (keys.hasMark(row.chain_mark, "place", placeValues({ number, hash }))) return undefined;',
    becomes: "if (hash !== undefined) return undefined;",
    tests: tampering,
  },
  {
    bug: "an export whose end was cut off and replaced counts as whole",
    file: "src/bot/audit/file-format.ts",
    text: "if (isSame && isSigned(head.publicKey, endValues(head, end), end.signature)) {",
    becomes: "if (isSame) {",
    tests: tampering,
  },
  {
    bug: "a row that another program wrote joins the chain like Gantry's own",
    file: "src/bot/store/audit/seal-history.ts",
    text: 'if (row.chain_mark === null) return takesUnmarked ? "before" : "unmarked";',
    becomes: 'if (row.chain_mark === null) return takesUnmarked ? "before" : undefined;',
    tests: chain,
  },
  {
    bug: "a new database takes rows that Gantry didn't write",
    file: "src/bot/store/audit/chain-rows.ts",
    text: "const takesUnmarked = older !== undefined;",
    becomes: "const takesUnmarked = true;",
    tests: chain,
  },
  {
    bug: "after an upgrade, history goes on taking rows that Gantry didn't write",
    file: "src/bot/store/audit/seal-history.ts",
    text: "if (known?.takesUnmarked === true) {",
    becomes: "if (known === undefined) {",
    tests: chain,
  },
  {
    bug: "the audit webhook follows a redirect, with history and its signature",
    file: "src/bot/compose/audit/receivers.ts",
    text: 'redirect: "manual",',
    becomes: 'redirect: "follow",',
    tests: ["test/bot/compose/audit/receivers.test.ts"],
  },
  {
    bug: "old history goes although a receiver that is away hasn't got it",
    file: "src/bot/store/database/prune.ts",
    text: "const upTo = Math.min(old, Math.max(received ?? old, late), first.number + BATCH);",
    becomes: "const upTo = Math.min(old, first.number + BATCH);",
    tests: chain,
  },
  {
    bug: "what waited for approval when a backup was taken can be approved again after a restore",
    file: "src/bot/store/database/restored.ts",
    text: 'const OPEN = ["pending", "approved", "claimed", "unknown"] as const; // literal states',
    becomes: 'const OPEN = ["approved", "claimed", "unknown"] as const; // literal states',
    tests: restored,
  },
  {
    bug: "a command that came in before a backup is carried out again after a restore",
    file: "src/bot/store/database/restored.ts",
    text: '  delivery: "due now",',
    becomes: '  delivery: "kept",',
    tests: restored,
  },
];
