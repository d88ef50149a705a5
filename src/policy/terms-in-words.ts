import { durationInWords } from "./duration.ts";
import type { Terms } from "./verdict.ts";

/** "2 votes of another full member of the channel or somebody in S0ONCALL, within 1 hour; …", as part of a sentence. */
export function termsInWords({ votes, from, selfApproval, reasonRequired, expiresMs, cardIn }: Terms): string {
  const people = [
    ...(from.channelMembers ? ["full members of the channel"] : []),
    ...from.groups.map((group) => `the user group ${group}`),
    ...from.users,
  ];
  return [
    `${votes} vote${votes === 1 ? "" : "s"} from ${people.join(" or ")}, within ${durationInWords(expiresMs)}`,
    selfApproval ? "one's own vote counts" : "one's own vote does not count",
    ...(reasonRequired ? ["a reason has to be given"] : []),
    ...(cardIn === undefined ? [] : [`the card stands in the channel ${cardIn}`]),
  ].join("; ");
}
