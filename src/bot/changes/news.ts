/**
 * News of a request, in the order in which it happens: it waits or runs, it waits again, it ended, and afterwards the workload is in
 * trouble or the job ended. `asked`: the end that its requester asked to be notified of. A message with news is stored under its name.
 */
export const newsRanks = { waiting: 1, running: 1, returned: 2, ended: 3, after: 4, asked: 4 } as const; // the literal names
export type News = keyof typeof newsRanks;
export const newsKinds = Object.keys(newsRanks) as [News, ...News[]]; // its keys

/** News that tells how a request ended. */
export const endNews = newsKinds.filter((news) => newsRanks[news] >= newsRanks.ended);
