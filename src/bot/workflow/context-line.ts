import type { Ask } from "../ask.ts";
import type { Context, ReadCommand } from "../commands/command.ts";
import { bindingInWords } from "../policy/binding.ts";

/** A line below an answer that names the binding or default region it depended on; undefined if none. Pure. */
export function contextLine(command: ReadCommand, ask: Ask, context: Context): string | undefined {
  const { binding, settings, defaultRegion } = context;
  const about = command.about(ask, settings);
  if (about === undefined && command.name !== "whoami") return undefined;
  const { kind, name } = about?.workload ?? {};
  const region = kind === "job" ? undefined : (ask.region ?? settings.region);
  if (binding?.region === undefined && region !== undefined && region === settings.region && region !== defaultRegion) {
    return lines(boundLine(context, { region, name }), `Your default region: ${region}`);
  }
  return lines(boundLine(context, { region, name }));
}

function lines(...all: readonly (string | undefined)[]): string | undefined {
  const said = all.filter((each) => each !== undefined);
  return said.length === 0 ? undefined : said.join(" · ");
}

type Meant = { readonly region: string | undefined; readonly name: string | undefined };

function boundLine({ binding }: Context, { region, name }: Meant): string | undefined {
  if (binding === undefined) return undefined;
  const { account, names, isLocked } = binding;
  const used = {
    account,
    region: binding.region === region ? region : undefined,
    // A name that was typed is not chosen by a pattern, but it was held against one that is locked.
    names: name === undefined || isLocked ? names : undefined,
  };
  const isUsed = Object.values(used).some((each) => each !== undefined);
  return isUsed ? `This channel: ${bindingInWords({ ...used, isLocked })}` : undefined;
}
