import { main } from "../main.ts";

// The bot alone: it speaks to a real Slack and a real service, or does not start.
await main(process.env, { isBotAlone: true });
