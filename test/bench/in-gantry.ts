import { loopDelayCalls } from "./loop-delay.ts";
import { answerCalls } from "./remote.ts";

/** Loaded into the bot's process before the bot, to measure what only it can. */
answerCalls(loopDelayCalls);
