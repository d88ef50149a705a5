import { channel, code, strong, words, type Inline } from "../kit/inline.ts";
import { truncate } from "../kit/text.ts";

const LONGEST = 700;
/** Only this sentence of ours names channels. Elsewhere, "#C0123ABCD" may be part of a workload's name. */
const elsewhere = "Request it in ";

/** Policy's plain sentences for Slack: “quoted names” are bold, `code` is code, #C0123ABCD can be a channel. */
export function policyText(text: string): Inline[] {
  const namesChannels = text.startsWith(elsewhere);
  return truncate(text, LONGEST)
    .split(/(“[^“”]+”|`[^`]+`|#[CG][A-Z0-9]{4,})/u)
    .filter((part) => part !== "")
    .map((part) => {
      if (/^“.+”$/u.test(part)) return strong(part.slice(1, -1), LONGEST);
      if (/^`.+`$/u.test(part)) return code(part.slice(1, -1), LONGEST);
      const isChannel = namesChannels && /^#[CG][A-Z0-9]{4,}$/u.test(part);
      return isChannel ? channel(part.slice(1)) : words(part, LONGEST);
    });
}
