import type { StorePoint } from "../support/store-point.ts";

/**
 * Calls of the store that change something: each is an edge in the life of a Change, a delivery or a card. Of the steps
 * only `askAgain` is missing: it needs a policy that changes, and that of a replica doesn't.
 */
export const edges = [
  "accept",
  "finishDelivery",
  "remember",
  "takeDue delivery",
  "insertChange",
  "approve",
  "reject",
  "cancel",
  "drift",
  "refuse",
  "claim",
  "doubt",
  "succeed",
  "fail",
  "giveUp",
  "observe",
  "expire",
  "takeDue change",
  "takeDue post",
  "savePost",
  "delayDue post",
  "removePost",
  "takeDue requester",
  "beginFollow",
  "takeDue follow",
  "saveFollow",
  "stopFollow",
  "endFollow",
  "addWatch",
  "removeWatch",
  "mute",
  "takeDue round",
  "endRound",
  "takeDue place",
  "placeNotices",
  "takeDue digest",
  "postDue",
  "addEvent",
  "beat",
  "countCalls",
] as const satisfies readonly StorePoint[];
export type Edge = (typeof edges)[number];

/** Requests that leave the bot, by what they are for. */
export const calls = [
  "service: read to propose",
  "service: read for drift",
  "service: write",
  "service: read back",
  "service: read to settle",
  "service: read for health",
  "service: read the log",
  "service: list",
  "slack: users.info",
  "slack: conversations.members",
  "slack: post the card",
  "slack: update the card",
  "slack: post in the thread",
  "slack: response_url",
  "slack: views.open",
  "slack: views.update",
] as const;
export type CallName = (typeof calls)[number];

/**
 * Of an edge: before the function is called; while it works; when it has committed and nothing else was done. Of a
 * request: when it has arrived and nothing was done; when it was done and not answered; when its answer has left.
 */
export const whens = ["before", "during", "after"] as const;
export type When = (typeof whens)[number];

export type PointName = Edge | CallName;
export type Point = { readonly name: PointName; readonly when: When };

/** What people do in a round. */
export type StoryName =
  | "approved"
  | "routine"
  | "undone"
  | "rejected"
  | "cancelled"
  | "drifted"
  | "refused"
  | "doubted"
  | "expired"
  | "undrawable"
  | "pointed"
  | "own"
  | "several"
  | "deployed"
  | "wentBack"
  | "deployedSeveral"
  | "followed"
  | "incident"
  | "digest"
  | "announced"
  | FaultStory;

/** Stories in which Slack is in trouble, or somebody edits what they said. */
export const faultStories = ["limited", "late", "archived", "blockless", "edited", "slow", "removed"] as const;
export type FaultStory = (typeof faultStories)[number];

type Plan = {
  /** Those on whose way the point lies. */
  readonly stories: readonly StoryName[];
  /** How often the point may be passed before it is taken. */
  readonly passes?: number;
  /** It lies on the way of whoever takes over: somebody else is killed first, at one of these. */
  readonly afterKillAt?: readonly Point[];
};

/** A deploy, one that goes back, and one of several services. */
const rolledOut = ["deployed", "wentBack", "deployedSeveral"] as const; // names of stories

const leftDelivery: readonly Point[] = [
  { name: "accept", when: "after" },
  { name: "insertChange", when: "before" },
  { name: "insertChange", when: "after" },
  { name: "finishDelivery", when: "before" },
];
const leftRun: readonly Point[] = [
  { name: "claim", when: "after" },
  { name: "service: write", when: "before" },
  { name: "service: write", when: "during" },
  { name: "service: write", when: "after" },
  { name: "succeed", when: "before" },
  { name: "observe", when: "before" },
];

const plans: Readonly<Record<PointName, Plan>> = {
  accept: { stories: ["approved", "undone", "rejected", "cancelled", "pointed", "edited", "announced"], passes: 1 },
  finishDelivery: { stories: ["approved", "rejected", "cancelled", "pointed", "announced"], passes: 1 },
  remember: { stories: ["edited"] },
  // A routine request finishes its delivery together with storing its Change.
  "takeDue delivery": { stories: ["approved", "pointed"], afterKillAt: leftDelivery },
  insertChange: { stories: ["several", ...rolledOut, "approved", "routine", "undone", "pointed"] },
  approve: { stories: ["several", "approved", "undone", "drifted", "pointed"] },
  reject: { stories: ["rejected"] },
  cancel: { stories: ["cancelled"] },
  drift: { stories: ["drifted"] },
  refuse: { stories: ["refused"] },
  claim: { stories: ["several", ...rolledOut, "approved", "routine", "pointed"] },
  doubt: { stories: ["doubted"] },
  succeed: { stories: ["several", ...rolledOut, "approved", "routine", "doubted", "pointed"] },
  fail: { stories: ["doubted"] },
  giveUp: { stories: ["doubted"] },
  // A routine scale is healthy in its read-back.
  observe: { stories: ["several", ...rolledOut, "approved", "pointed"] },
  expire: { stories: ["expired"] },
  "takeDue change": { stories: ["several", ...rolledOut, "approved", "routine", "pointed"], afterKillAt: leftRun },
  "takeDue post": {
    stories: ["approved", "rejected", "drifted", "pointed", "incident", "digest", "announced"],
    passes: 2,
  },
  savePost: {
    stories: [
      "approved",
      "routine",
      "rejected",
      "cancelled",
      "pointed",
      "late",
      "limited",
      "blockless",
      "incident",
      "digest",
      "announced",
    ],
    passes: 4,
  },
  "delayDue post": { stories: ["undrawable", "limited", "archived"] },
  // What a requester is told beside the card, and what nothing updates once it is told.
  removePost: { stories: ["removed", "digest", "announced"] },
  "takeDue requester": { stories: ["removed"] },
  beginFollow: { stories: ["followed"] },
  "takeDue follow": { stories: ["followed"], passes: 1 },
  saveFollow: { stories: ["followed"], passes: 5 },
  stopFollow: { stories: ["followed"] },
  endFollow: { stories: ["followed"] },
  addWatch: { stories: ["announced"] },
  removeWatch: { stories: ["announced"] },
  mute: { stories: ["announced"] },
  "takeDue round": { stories: ["incident"], passes: 1 },
  endRound: { stories: ["incident"], passes: 1 },
  "takeDue place": { stories: ["incident"] },
  placeNotices: { stories: ["incident"] },
  "takeDue digest": { stories: ["digest"] },
  postDue: { stories: ["digest"] },
  addEvent: { stories: ["own"] },
  beat: { stories: ["approved", "routine", "pointed"], passes: 2 },
  countCalls: { stories: ["approved", "routine", "pointed"], passes: 1 },
  "service: read to propose": { stories: ["approved", "routine", "pointed"] },
  "service: read for drift": { stories: ["deployed", "wentBack", "approved", "drifted", "pointed"] },
  "service: write": { stories: ["several", ...rolledOut, "approved", "routine", "undone", "pointed"] },
  "service: read back": { stories: ["several", ...rolledOut, "approved", "routine", "pointed"] },
  "service: read to settle": { stories: ["doubted"] },
  "service: read for health": { stories: [...rolledOut, "approved", "pointed"] },
  "service: read the log": { stories: ["followed"], passes: 2 },
  "service: list": { stories: ["incident"], passes: 1 },
  "slack: users.info": { stories: ["approved", "routine", "pointed"] },
  "slack: conversations.members": { stories: ["approved", "pointed"] },
  "slack: post the card": {
    stories: ["approved", "routine", "pointed", "late", "blockless", "slow", "incident", "digest", "announced"],
  },
  "slack: update the card": {
    stories: ["approved", "rejected", "cancelled", "pointed", "late", "archived", "incident"],
    passes: 1,
  },
  "slack: post in the thread": { stories: ["approved", "rejected", "limited", "late", "incident"] },
  "slack: response_url": { stories: ["approved", "rejected", "cancelled", "removed"] },
  "slack: views.open": { stories: ["rejected", "pointed"] },
  // The first one fills the form, the next one says in it what became of it.
  "slack: views.update": { stories: ["pointed"], passes: 1 },
};

export const planOf = ({ name }: Point): Plan => plans[name];

/** Each name at each moment. */
export function allPoints(): Point[] {
  return [...edges, ...calls].flatMap((name) => whens.map((when) => ({ name, when })));
}
