import { z } from "zod";
import { section } from "../../../views/kit/blocks.ts";
import { post } from "../../../views/kit/post.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { Target } from "../../grammar/argument-types.ts";
import { isLink } from "../../grammar/manners.ts";
import { readVerb } from "../../grammar/verb.ts";

/** Ends what `logs --follow` began, as its Stop button does. The workflow ends it, where it is stored. */
export const unfollow = readVerb({
  name: "unfollow",
  summary: "Stop following a log, or all that you follow here",
  example: "unfollow web",
  aliases: ["stop following", "stop tailing"],
  near: ["untail"],
  phrases: [
    ["(stop|quit|end) (following|tailing|streaming) [the ](LINES (of|for|from) |)NAME[('s|)][ LINES]", "unfollow NAME"],
    ["(stop|quit|end) (following|tailing|streaming)[ [(the|this|my) ](LINES|it)]", "unfollow"],
  ],
  words: { name: "[NAME]" },
  args: z.object({ name: Target.optional() }),
  forEverybody: true,
  unfollow: meant,
  async answer(args) {
    const name = meant(args)?.name;
    const what =
      name === undefined ? "No log is followed here" : `The log of ${truncate(visible(name), 63)} isn't followed here`;
    const sentence = `${what}. Nothing was changed.`;
    return post(sentence, [section(sentence)]);
  },
});

/** "stop following it" names none. */
function meant({ name }: { readonly name?: Target | undefined }): Target | undefined {
  return name !== undefined && isLink(name.name) ? undefined : name;
}
