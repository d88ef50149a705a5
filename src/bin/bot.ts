import { main } from "../main.ts";

// The bot without stand-ins: it needs a real Slack and a real workload API.
await main(process.env, { isBotAlone: true });
