import type { Binding, BindingTerms } from "../../../policy/binding.ts";
import { bullets, section, type Line } from "../../../views/kit/blocks.ts";
import { channel, code, firstOf, moment, words } from "../../../views/kit/inline.ts";
import type { Block, Post } from "../../../views/kit/message.ts";
import { postOf } from "../../../views/kit/post.ts";

type InChannel = { readonly channelId: string; readonly command: string };

export type UseMessage =
  | (InChannel & {
      /** `same`: the binding was the same before. */
      readonly kind: "bound" | "same";
      readonly by: string;
      readonly terms: BindingTerms;
      /** The configured regions; others may exist. */
      readonly regions: readonly string[];
    })
  | (InChannel & { readonly kind: "shown"; readonly binding: Binding })
  | (InChannel & { readonly kind: "unbound"; readonly by: string })
  | (InChannel & { readonly kind: "nothing" })
  /** A conversation with the bot. */
  | { readonly kind: "direct"; readonly command: string };

/** The binding of a channel, for the person who asks and, when it changes, for the channel. */
export function useMessage(message: UseMessage): Post {
  switch (message.kind) {
    case "bound":
    case "same":
      return bound(message);
    case "shown":
      return shown(message);
    case "unbound":
      return postOf([
        section(
          [words("✅ "), words(message.by, 80), words(" unbound "), channel(message.channelId), words(".")],
          plain,
        ),
      ]);
    case "nothing":
      return postOf([section([channel(message.channelId), words(" is not bound. "), words(plain)], how(message))]);
    case "direct":
      return postOf([
        section("A conversation with Gantry cannot be bound, only a channel.", [
          words("Type it in a channel. Your own default region is chosen in Gantry's Home."),
        ]),
      ]);
  }
}

const plain = "Every region and every name can be asked for there, as far as the policy allows it.";

function bound({
  kind,
  by,
  terms,
  regions,
  channelId,
  command,
}: Extract<UseMessage, { readonly by: string; readonly terms: BindingTerms }>): Post {
  const head: Line =
    kind === "bound"
      ? [words("✅ "), words(by, 80), words(" bound "), channel(channelId), words(":")]
      : [channel(channelId), words(" was bound to just that already:")];
  const { region } = terms;
  const isUnknown = region !== undefined && regions.length > 0 && !regions.includes(region);
  return postOf([
    section(head),
    ...meaning(terms),
    ...(isUnknown ? [section([...unknown(region), ...firstOf(regions, 8, (each) => code(each, 60)), words(".")])] : []),
    section(`See it with \`${command} use\`, take it away with \`${command} use --clear\``),
  ]);
}

function unknown(region: string) {
  return [words("⚠️ "), code(region, 100), words(" is none of the regions that are known here: ")];
}

function shown({ binding, channelId, command }: Extract<UseMessage, { kind: "shown" }>): Post {
  const { boundBy, boundAt } = binding;
  const made = [words(`, by ${boundBy.name}, `, 120), moment(boundAt.toISOString()), words(":")];
  return postOf([
    section([channel(channelId), words(" is bound"), ...made]),
    ...meaning(binding),
    section(`Bind it anew with \`${command} use\` and flags, take it away with \`${command} use --clear\``),
  ]);
}

/** The effect of each part of the binding. */
function meaning({ region, names, account, isLocked }: BindingTerms): Block[] {
  const rest = {
    region: isLocked ? "Other regions are refused here." : "--region still asks for another one.",
    names: isLocked ? "Other names are refused here." : "Another name still works when it is typed in full.",
  };
  const lines: Line[] = [];
  if (region !== undefined) {
    lines.push([
      words("Region "),
      code(region, 100),
      words(` is meant for services; jobs are always in the region us. ${rest.region}`),
    ]);
  }
  if (names !== undefined) {
    lines.push([words("Names "), code(names, 100), words(`: only these are listed and suggested. ${rest.names}`)]);
  }
  if (account !== undefined) {
    const whose = ": your own, the channel's or the workspace's, whichever has this user name.";
    lines.push([words("Gantry acts with the account "), code(account, 100), words(whose)]);
  }
  const [first, ...others] = lines;
  return first === undefined ? [] : [bullets([first, ...others])];
}

function how({ command }: InChannel): string {
  return `Bind it with \`${command} use --region R\`, \`--names "shop-*"\` or \`--account A\`; \`--lock\` refuses the rest`;
}
