import type { Mutant } from "./mutants.ts";

const tests = ["test/bot/store/upgrade.test.ts"];

/** A newer version starts beside replicas of an older one. */
export const upgradeMutants: readonly Mutant[] = [
  {
    bug: "an upgrade changes the schema while older replicas run",
    file: "src/bot/store/schema/migrations.ts",
    text: "if (older.length > 0) return older;",
    becomes: "",
    tests,
  },
  {
    bug: "an upgrade asks for replicas before their table was made",
    file: "src/bot/store/schema/migrations.ts",
    text: " && version >= FIRST_WITH_REPLICAS",
    becomes: "",
    tests,
  },
  {
    bug: "an upgrade doesn't see a replica that has just started",
    file: "src/bot/store/schema/migrations.ts",
    text: "    await finish?.(tx);\n",
    becomes: "",
    tests,
  },
  {
    bug: "an upgrade ends although older replicas are about to stop",
    file: "src/bot/store/schema/upgrade.ts",
    text: "machine.elapsedMs() - since >= STOP_WITHIN_MS",
    becomes: "machine.elapsedMs() >= since",
    tests,
  },
  {
    bug: "an upgrade asks an older schema for what replicas said about themselves",
    file: "src/bot/store/database/replicas.ts",
    text: '.selectFrom("replica").selectAll()',
    becomes: '.selectFrom("replica").select(["id", "report"])',
    tests,
  },
  {
    bug: "a process that was killed holds up the upgrade of its folder",
    file: "src/bot/store/open-store.ts",
    text: 'isOnlyProcess: kind === "sqlite"',
    becomes: "isOnlyProcess: false",
    tests: ["test/bot/store/sqlite-upgrade.test.ts"],
  },
];
