import { describe, expect, test } from "vitest";
import {
  type ParsedMention,
  type ParsedSlash,
  readMention,
  readSlash,
} from "../../../../src/bot/commands/grammar/mention-words.ts";
import { addressedBy } from "../../../../src/bot/slack/receive/addressed.ts";

const regions = ["beijing1", "us"];
const BOT = "U0GANTRY";

function message(text: string, isDirect: boolean): ParsedMention {
  const said = addressedBy({ text, isDirect }, BOT);
  if (said === undefined) throw new Error(`nobody was addressed: ${text}`);
  return readMention(said, regions);
}

/** Every way for words to come in. */
const doors: Readonly<Record<string, (text: string) => ParsedMention | ParsedSlash>> = {
  "slash command": (text) => readSlash(text, regions),
  mention: (text) => message(`<@${BOT}> ${text}`, false),
  "direct message": (text) => message(text, true),
};

/** What the words are about. */
function namesIn(read: ParsedMention | ParsedSlash): unknown {
  if (read.kind !== "run") return read;
  const { names, name, text } = read.parsed.ask.args;
  return names ?? name ?? text;
}

describe.each(["mute", "watch", "unwatch", "restart", "stop", "start", "delete", "rollback", "list"])(
  "%s *web*",
  (verb) => {
    test.each(Object.entries(doors))("%s", (door, read) => {
      const isPattern = door === "slash command";
      const about = namesIn(read(`${verb} *web*`));
      expect([about].flat()).toEqual([isPattern ? "*web*" : "web"]);
      // Quoted, it is a pattern everywhere.
      expect([namesIn(read(`${verb} "*web*"`))].flat()).toEqual(["*web*"]);
    });
  },
);
