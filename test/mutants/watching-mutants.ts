import type { Mutant } from "./mutants.ts";

const compared = ["test/bot/watch/compare.test.ts"];
const due = ["test/bot/watch/due.test.ts"];
const cards = ["test/bot/views/incident-card.test.ts"];
const stored = ["test/bot/store/on-sqlite.test.ts"];

export const watchingMutants: readonly Mutant[] = [
  {
    bug: "what a list leaves out counts as deleted",
    file: "src/bot/watch/compare.ts",
    text: "if (!isComplete || before === undefined) return",
    becomes: "if (before === undefined) return",
    tests: compared,
  },
  {
    bug: "an incident that comes back soon is another one",
    file: "src/bot/watch/compare.ts",
    text: "return overAt !== undefined && now.getTime() - overAt.getTime() <= FLAPPING_MS;",
    becomes: "return false;",
    tests: compared,
  },
  {
    bug: "a schedule has got over a failed run as soon as the next one begins",
    file: "src/bot/watch/compare.ts",
    text: 'return level === "healthy" && cause !== "job-failed" ? "recovered" : undefined;',
    becomes: 'return level === "healthy" ? "recovered" : undefined;',
    tests: compared,
  },
  {
    bug: "what was over quickly is told",
    file: "src/bot/watch/due.ts",
    text: "const isShort = overAt !== undefined && overAt <= countsAt && times === 1;",
    becomes: "const isShort = false;",
    tests: due,
  },
  {
    bug: "several that are gone count as recovered",
    file: "src/bot/views/cards/incident-card.ts",
    text: 'incidents.every(({ end }) => end === "recovered") ? "🟢" : "⚪️"',
    becomes: '"🟢"',
    tests: cards,
  },
  {
    bug: "two replicas tell the same in two messages",
    file: "src/bot/store/alerts.ts",
    text: "const rest = await joined(inside, { placing: { ...placing, tell: await unplaced(inside.db, placing) }, put });",
    becomes: "const rest = tell;",
    tests: stored,
  },
];
