import bolt from "@slack/bolt";

/**
 * A Bolt app that listens and does nothing else, in plain JavaScript: the memory of one that is written in TypeScript is the
 * compiler's, too.
 */

const app = new bolt.App({
  receiver: new bolt.HTTPReceiver({ signingSecret: "bench" }),
  authorize: () => Promise.resolve({ botToken: "xoxb-bench", botId: "B0BENCH", botUserId: "U0BOT" }),
});
app.command("/gantry", ({ ack }) => ack());
app.options(/^pick:/u, ({ ack }) => ack({ options: [] }));
app.event("app_home_opened", () => Promise.resolve());
await app.start(Number(process.env["PORT"]));
process.stdout.write("ready\n");
