import fc from "fast-check";
import type { Command, Form } from "../../../../src/bot/commands/command.ts";
import type { FormField } from "../../../../src/bot/commands/forms/form.ts";
import {
  all,
  type BothWays,
  changeId,
  common,
  day,
  flag,
  flags,
  line,
  name,
  nothing,
  numbers,
  region,
  target,
  tick,
  word,
} from "./said-both-ways.ts";

const commonIds = new Set(["region", "share", "reason", "break-glass"]);

/**
 * What one can ask of a verb, read off its form: each required field is a word, in the order of the form, and each optional
 * one is a flag of that name. A verb whose words are different has its own entry in `bothWays`.
 */
export function saidByFields({ effect, actions }: Command, form: Form): fc.Arbitrary<BothWays> {
  const own = form.fields({}).filter(({ id }) => !commonIds.has(id));
  const words = own.filter(({ isOptional }) => isOptional !== true).map((field) => word(field.id, valueOf(field)));
  const options = own.filter(({ isOptional }) => isOptional === true).map(flagOf);
  return all(...words, flags(...options), commonOf(effect, actions.length > 0));
}

function flagOf(field: FormField): fc.Arbitrary<BothWays> {
  return field.input.kind === "tick" ? tick(field.id) : flag(field.id, valueOf(field));
}

function commonOf(effect: Command["effect"], isRuled: boolean): fc.Arbitrary<BothWays> {
  if (effect === "write") return common.write;
  if (effect === "read") return isRuled ? common.read : common.free;
  return fc.constant(nothing);
}

function valueOf({ input }: FormField): fc.Arbitrary<string> {
  switch (input.kind) {
    case "workload":
      return target;
    case "number":
      return numbers(input.from, input.to);
    case "choice":
      return fc.constantFrom(...input.options.map(({ value }) => value));
    case "region":
      return region;
    case "change":
      return changeId;
    case "date":
      return day;
    case "person":
      return fc.constantFrom("<@U0DANA>", "<@W0ALEX>");
    case "instance":
      return name;
    default:
      return line;
  }
}
