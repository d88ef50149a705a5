import type { Alert, NoticedEvent } from "../../watch/incident.ts";
import { type Block, context, type Line, listed, section } from "../kit/blocks.ts";
import { type Inline, moment, strong, words } from "../kit/inline.ts";
import { type Post, postOf } from "../kit/post.ts";
import { incidentButtons } from "./incident-buttons.ts";
import { oneIncident } from "./incident-one.ts";
import { someIncidents } from "./incident-several.ts";
import { type IncidentCard, LISTED } from "./incident-words.ts";

/** The message of an alert in any state. It never looks better than the workloads do: who isn't known to be well has no green. */
export function incidentCard(card: IncidentCard): Post {
  const { alert, mute } = card;
  const { incidents, events } = alert;
  const [only] = incidents;
  const about = incidents.length === 1 && only !== undefined ? oneIncident(only, card) : someIncidents(incidents, card);
  const isOpen = incidents.some(({ overAt }) => overAt === undefined);
  const isMuted = isOpen && mute !== undefined;
  return postOf([
    ...about,
    ...eventBlocks(events, card),
    ...takenBlocks(alert, isOpen),
    ...(isMuted ? [section([moment(mute.until.toISOString(), "🔕 Muted until ")])] : []),
    ...smallPrint(alert, card),
    ...(card.isAgain === true ? [context("Posted again. Only this message is updated.")] : []),
    ...incidentButtons(card, isOpen),
  ]);
}

/** "👋 Alex Kim is on it, taken over from Dana Reyes". Once it is over, they were. */
function takenBlocks({ taken }: Pick<Alert, "taken">, isOpen: boolean): Block[] {
  if (taken === undefined) return [];
  const { name, from, isHanded } = taken;
  const before =
    from === undefined ? [] : [words(isHanded ? ", handed over by " : ", taken over from "), words(from.name, 80)];
  return [section([words("👋 "), strong(name, 80), words(isOpen ? " is on it" : " was on it"), ...before])];
}

/** Events are never redrawn, so they have marks for what happened, not status dots. */
const eventMarks: Readonly<Record<NoticedEvent["event"], string>> = {
  failing: "⚠️",
  recovered: "✅",
  "job-failed": "❌",
  "job-done": "✅",
  restarts: "⚠️",
  "out-of-memory": "⚠️",
  deployed: "🔄",
  changed: "🔄",
};

function eventBlocks(events: readonly NoticedEvent[], { defaultRegion }: IncidentCard): Block[] {
  const lines = events.slice(0, LISTED).map((event): Line => {
    const { kind, region, name, words: what, unseenSince } = event;
    const where = kind === "service" && region !== defaultRegion ? ` in ${region}` : "";
    const late: Inline[] = unseenSince === undefined ? [] : [moment(unseenSince.toISOString(), " · some time after ")];
    return [
      words(`${eventMarks[event.event]} `),
      strong(name, 63),
      words(`${where} ${joining(what)}${what}`, 300),
      ...late,
    ];
  });
  return listed(lines, { left: events.length - lines.length });
}

/** "image a → b" needs a dot after the name, "was created" doesn't. */
function joining(what: string): string {
  return /^(?:was|is|crashed)\b/u.test(what) ? "" : "· ";
}

function smallPrint({ incidents }: Alert, { defaultRegion }: IncidentCard): Block[] {
  const [only, ...others] = incidents;
  if (only === undefined || others.length > 0) return [];
  const { kind, region, account, name } = only;
  const what = name === undefined ? `${kind}s` : kind;
  return [
    context(
      [what, ...(kind === "service" && region !== defaultRegion ? [region] : []), `account ${account}`].join(" · "),
    ),
  ];
}
