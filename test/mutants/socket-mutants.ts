import type { Mutant } from "./mutants.ts";

/** Bugs of Socket Mode, and of deliveries that Slack repeats. */
export const socketMutants: readonly Mutant[] = [
  {
    bug: "an event that Slack repeats to another replica is answered again",
    file: "src/bot/slack/receive/mention.ts",
    text: "    return await store.remember(eventKey(eventId));",
    becomes: "    await store.remember(eventKey(eventId));\n    return true;",
    tests: ["test/bot/slack/receive/delivery.test.ts"],
  },
  {
    bug: "a connection that Slack announced to close is closed before the next one is open",
    file: "src/bot/slack/receive/socket/connections.ts",
    text: "    await entry.over;\n    const aliveMs",
    becomes: "    await entry.over;\n    entry.connection.drop();\n    const aliveMs",
    tests: ["test/bot/slack/receive/socket/two-connections.test.ts"],
  },
  {
    bug: "a token that Slack refuses later never ends the bot",
    file: "src/bot/slack/receive/socket/connections.ts",
    text: "!state.wasOpen || state.refusals >= REFUSALS_TO_END",
    becomes: "!state.wasOpen",
    tests: ["test/bot/slack/receive/socket/refusals.test.ts"],
  },
];
