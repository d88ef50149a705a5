import { auth } from "./auth.ts";
import { chat } from "./chat.ts";
import { conversations } from "./conversations.ts";
import { files } from "./files.ts";
import type { Methods } from "./method.ts";
import { people } from "./users.ts";
import { streams } from "./streams.ts";
import { views } from "./views.ts";

/** Every Web API method the playground answers. */
export const methods: Methods = { ...auth, ...chat, ...conversations, ...files, ...people, ...streams, ...views };
