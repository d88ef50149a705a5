import { z } from "zod";
import type { Command, ReadCommand } from "../../command.ts";
import { workloadField } from "../../forms/fields.ts";
import { Target } from "../../grammar/target.ts";
import { readVerb } from "../../grammar/verb.ts";
import { findListed } from "../../lookup/find.ts";
import { factsOf, workloadCard } from "../show/show.ts";
import { eventBlocks } from "./event-blocks.ts";
import { failureBlocks } from "./failure-blocks.ts";
import { verdictOn } from "./verdict.ts";

/** One answer to "why is web failing?": a verdict, its card, and what its log reports, the same errors folded into one. */
export function whyCommand(commands: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "why",
    summary: "Show why a workload fails: a verdict, its status and its errors",
    example: "why flaky",
    aliases: ["diagnose"],
    near: ["debug", "explain", "troubleshoot"],
    phrases: [
      ["why (is|does|did|do|has|was|are|isn't|doesn't|won't|can't) NAME[ TROUBLE]", "why NAME"],
      ["(what's|whats|what is|what was|[is |is there ]anything|something) WRONG with NAME", "why NAME"],
      ["what (happened|happens|is happening|is going on) (to|with) NAME", "why NAME"],
      ["(debug|diagnose|troubleshoot|investigate) NAME", "why NAME"],
    ],
    words: { name: "NAME" },
    args: z.object({ name: Target }),
    reads: ["getService", "getJob"],
    form: { title: "Why does it fail?", submit: "Show", fields: () => [workloadField] },
    async answer({ name }, context) {
      const found = await findListed(name, context);
      const facts = await factsOf(found, { commands: commands(), context, readsLog: true });
      const { log, now } = facts;
      const events = eventBlocks(found, now);
      const failures = failureBlocks(log, now);
      return workloadCard(found, {
        ...facts,
        // The details say more than a rate.
        log: undefined,
        verdict: verdictOn(found, log, now),
        details: failures === undefined && events.length === 0 ? undefined : [...events, ...(failures ?? [])],
      });
    },
  });
}
