import type { Mutant } from "./mutants.ts";

const kept = ["test/flows/watching/kept-true.test.ts"];
const digest = ["test/flows/watching/digest.test.ts"];
const killed = ["test/flows/when-gantry-fails/watching-killed.test.ts"];
const onSqlite = ["test/bot/store/on-sqlite.test.ts"];

/** Messages that Gantry keeps true. */
export const postMutants: readonly Mutant[] = [
  {
    bug: "what Slack takes when somebody changes something is given up",
    file: "src/bot/workflow/post/deliver.ts",
    text: "  return { ms: Math.min(Math.max(BLOCKED_MS.least, blockedMs / 10), BLOCKED_MS.most), isFailure: true };",
    becomes: '  return blockedMs < 0 ? "retry" : "done";',
    tests: kept,
  },
  {
    bug: "a closed channel is tried every minute",
    file: "src/bot/workflow/post/deliver.ts",
    text: "Math.max(BLOCKED_MS.least, blockedMs / 10)",
    becomes: "BLOCKED_MS.least",
    tests: kept,
  },
  {
    bug: "who watches isn't told while the channel is closed",
    file: "src/bot/workflow/post/deliver.ts",
    text: "if (isTold || !hasOther)",
    becomes: "if (isTold || hasOther || !hasOther)",
    tests: kept,
  },
  {
    bug: "a person gets the same again with every attempt in a closed channel",
    file: "src/bot/workflow/post/deliver.ts",
    text: " && !told.includes(INSTEAD)",
    becomes: "",
    tests: digest,
  },
  {
    bug: "a message that may be the second one doesn't say so",
    file: "src/bot/workflow/post/deliver.ts",
    text: 'if (posted.kind !== "later" || !posted.isMaybeSent) await save(work, { posts });',
    becomes: "await save(work, { posts });",
    tests: kept,
  },
  {
    bug: "a reply is posted without asking who may read it by now",
    file: "src/bot/workflow/post/deliver.ts",
    text: "    const shown = await work.read();\n    if (shown.kind",
    becomes: '    const shown = { kind: "shown", kept } as Readable;\n    if (shown.kind',
    tests: ["test/bot/workflow/deliver.test.ts"],
  },
  {
    bug: "after a kill, nobody knows that a message may have been posted",
    file: "src/bot/workflow/post/deliver.ts",
    text: "await save(work, { posts: posts + 1 });",
    becomes: "await save(work);",
    tests: killed,
  },
  {
    bug: "a card that can't be edited says nothing of a recovery",
    file: "src/bot/workflow/watching/alert-post.ts",
    text: "const isWanted = !isShown || watches",
    becomes: "const isWanted = watches",
    tests: kept,
  },
  {
    bug: "a card goes on telling somebody whose right ended",
    file: "src/bot/workflow/watching/alert-post.ts",
    text: "shown.push(who.length > 0 ? incident : unwatched(incident, now));",
    becomes: "shown.push(incident);",
    tests: kept,
  },
  {
    bug: "what policy refuses in direct messages is told there instead of a closed channel",
    file: "src/bot/workflow/watching/alert-post.ts",
    text: "insteadOf === undefined ? all : all.flatMap",
    becomes: "insteadOf !== undefined || insteadOf === undefined ? all : all.flatMap",
    tests: kept,
  },
  {
    bug: "a watch ends because policy refuses it in a direct message",
    file: "src/bot/workflow/watching/alert-post.ts",
    text: "{ endsLost: insteadOf === undefined }",
    becomes: "{ endsLost: true }",
    tests: kept,
  },
  {
    bug: "a card stays red when nobody watches there any more",
    file: "src/bot/store/watches.ts",
    text: "    if (row === undefined) return undefined;\n    await watchersChanged(tx, session, row);",
    becomes: "    if (row === undefined) return undefined;",
    tests: kept,
  },
  {
    bug: "a digest switches to the account that its owner connected for themselves",
    file: "src/bot/workflow/watching/digest.ts",
    text: "channelId: place, account }",
    becomes: "channelId: place }",
    tests: digest,
  },
  {
    bug: "a digest names a change that policy hides in its channel",
    file: "src/bot/workflow/watching/digest.ts",
    text: "if (isKnownKind(workload) && (await sees(workload))) changes.push(event);",
    becomes: "if (isKnownKind(workload)) changes.push(event);",
    tests: digest,
  },
  {
    bug: "a digest that waited long is posted beside the next one",
    file: "src/bot/workflow/watching/digest.ts",
    text: "if (nextDigest(times, dueAt) <= deps.clock.now()) return",
    becomes: "if (nextDigest(times, dueAt) < dueAt) return",
    tests: digest,
  },
  {
    bug: "a watch of the file switches to the account that its owner connected for themselves",
    file: "src/bot/workflow/watching/file-watches.ts",
    text: "channelId, account: username }",
    becomes: "channelId }",
    tests: ["test/flows/watching/watches-of-the-file.test.ts"],
  },
  {
    bug: "a replica that lost its lease changes the message of another one",
    file: "src/bot/store/posts.ts",
    text: "if (isHeld && Object.keys(set).length > 0) {",
    becomes: "if (Object.keys(set).length > 0) {",
    tests: onSqlite,
  },
  {
    bug: "a card that was posted too late is forgotten, though there is no other",
    file: "src/bot/store/posts.ts",
    text: '    if (card === undefined) return "lost";',
    becomes: '    return "lost";',
    tests: onSqlite,
  },
  {
    bug: "a replica that lost its lease schedules a message again",
    file: "src/bot/store/posts.ts",
    text: "if (isOurs) await addPost(inside, post);",
    becomes: "await addPost(inside, post);",
    tests: onSqlite,
  },
  {
    bug: "whoever says that they are on it waits for the card",
    file: "src/bot/store/alerts.ts",
    text: ".set({ rest_until: null })",
    becomes: ".set({ blocked_at: null })",
    tests: onSqlite,
  },
];
