import { z } from "zod";
import type { JsonObject } from "../json.ts";
import { bot, findChannel } from "../workspace/workspace.ts";
import { touch, type World } from "../world.ts";

const Change = z.object({
  slowMs: z.number().min(0).max(10_000).optional(),
  deliverTwice: z.boolean().optional(),
  signsWrongly: z.boolean().optional(),
  signatureAgeSeconds: z.number().min(0).max(86_400).optional(),
  lateMs: z.number().min(0).max(60_000).optional(),
  retryAfterSeconds: z.number().int().min(1).max(3_600).optional(),
  answers: z.enum(["", "429", "500", "hang", "lost", "garbage", "late", "blocks"]).optional(),
  /** A method's name, "response_url", "upload", or "all". */
  answersTo: z
    .string()
    .regex(/^[a-zA-Z._]{1,80}$/u)
    .default("all"),
  bot: z.object({ channel: z.string(), isIn: z.boolean() }).optional(),
  extra: z.object({ label: z.string(), on: z.boolean() }).optional(),
  clear: z.boolean().optional(),
});
type Change = z.infer<typeof Change>;

function setBot(world: World, { channel: name, isIn }: NonNullable<Change["bot"]>): void {
  const channel = findChannel(world.state, name);
  if (channel === undefined || channel.kind === "im") throw new Error(`There is no channel "${name}".`);
  if (isIn) channel.members.add(bot.user);
  else channel.members.delete(bot.user);
}

function setExtra(world: World, { label, on }: NonNullable<Change["extra"]>): void {
  const extra = world.externalFaults.find((each) => each.label === label);
  if (extra === undefined) throw new Error(`There's no switch "${label}".`);
  extra.set(on);
  if (on) world.externalFaultsOn.add(label);
  else world.externalFaultsOn.delete(label);
}

/** Clears every fault. The bot's channel memberships stay. */
function clearAll(world: World): void {
  world.faults.clear();
  for (const label of world.externalFaultsOn) setExtra(world, { label, on: false });
}

/** Switches faults on and off. Throws an Error with a sentence for the page. */
export async function switchFaults(world: World, body: unknown): Promise<JsonObject> {
  const { answers, answersTo, bot: membership, extra, clear, ...settings } = Change.parse(body);
  const { faults } = world;
  if (clear === true) clearAll(world);
  Object.assign(faults, settings);
  if (answers !== undefined) for (const { kind } of faults.planned()) faults.answerNormally(kind);
  if (answers !== undefined && answers !== "") faults.answer(answersTo, answers);
  if (membership !== undefined) setBot(world, membership);
  if (extra !== undefined) setExtra(world, extra);
  touch(world);
  return {};
}
