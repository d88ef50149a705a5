import type { z } from "zod";
import type { DaemonConnection } from "./daemon-connection.ts";
import { askOnce, type DaemonCall } from "./daemon-request.ts";

/** Calls whose answers are read at once. */
export type DaemonAsker = {
  readonly read: <T extends z.ZodType>(schema: T, path: string, query?: DaemonCall["query"]) => Promise<z.output<T>>;
  /** Undefined when there is none. */
  readonly find: <T extends z.ZodType>(schema: T, path: string) => Promise<z.output<T> | undefined>;
  /** `passes` are statuses of 400 and above that are no failure. */
  readonly post: (path: string, more?: Partial<DaemonCall>, passes?: readonly number[]) => Promise<unknown>;
};

export function askerOf(daemon: DaemonConnection): DaemonAsker {
  return {
    async read(schema, path, query = {}) {
      return schema.parse((await askOnce(daemon, { method: "GET", path, query })).body);
    },
    async find(schema, path) {
      const { status, body } = await askOnce(daemon, { method: "GET", path }, [404]);
      return status === 404 ? undefined : schema.parse(body);
    },
    async post(path, more = {}, passes = []) {
      return (await askOnce(daemon, { method: "POST", path, ...more }, passes)).body;
    },
  };
}
