import type { Kind, KubeObject } from "./kinds.ts";

/** A namespace, and objects of one kind in it. That of the kind Namespace is empty. */
export type Place<K extends Kind = Kind> = { readonly kind: K; readonly namespace: string };
export type Named<K extends Kind = Kind> = Place<K> & { readonly name: string };

type ListOptions = {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** At most this many in one answer; `next` of the page continues. */
  readonly limit?: number;
  readonly next?: string;
};

type ListPage<K extends Kind> = {
  readonly items: readonly KubeObject<K>[];
  /** Where a watch goes on. */
  readonly resourceVersion: string;
  readonly next: string | undefined;
  /** Objects that lack a field which each object of the kind must have. */
  readonly unreadable: number;
};

export type WatchEvent<K extends Kind> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject<K> }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

type WatchOptions<K extends Kind> = {
  readonly resourceVersion: string;
  /** The API server ends the watch after this long. */
  readonly timeoutSeconds: number;
  readonly labelSelector?: string;
  /** Called when the server has accepted the watch. */
  readonly onOpen?: () => void;
  readonly onEvent: (event: WatchEvent<K>) => void;
};

/** https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/ */
export type Patch =
  | { readonly type: "json"; readonly operations: readonly JsonOperation[] }
  | { readonly type: "merge" | "strategic"; readonly body: object };

export type JsonOperation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

type DeleteOptions = {
  readonly propagation: "Foreground" | "Background";
  /** Deletes only the object with this uid; another one is a KubeError 409. */
  readonly uid?: string;
};

export type PodLogOptions = {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The log of the container before its last restart. */
  readonly previous?: boolean;
  /** RFC 3339; the kubelet reads whole seconds only. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
};

/** `hidden`: this account may not look. */
export type NamespaceFacts = { readonly labels: Readonly<Record<string, string>> } | "missing" | "hidden";

/** A time in which the API server didn't answer; without an end while it lasts. */
export type Outage = { readonly from: Date; readonly until: Date | undefined };

/**
 * The API of one cluster, as one user. Each call rejects with a `KubeError` when the API server answered with an error
 * and with a `KubeUnreachable` when it didn't answer; an aborted signal rejects with its reason.
 */
export type KubeApi = {
  /** The address of the API server, for people. */
  readonly server: string;
  /** What a namespace has, or why that isn't known. Lists in one that is missing are empty, as if nothing ran there. */
  readonly namespace: (name: string, signal?: AbortSignal) => Promise<NamespaceFacts>;
  /** The server's version: `v1.20.2`. */
  readonly version: (signal?: AbortSignal) => Promise<string>;
  readonly list: <K extends Kind>(place: Place<K>, options: ListOptions, signal?: AbortSignal) => Promise<ListPage<K>>;
  /** Resolves when the server ends the watch; a lost connection or an ERROR event rejects. */
  readonly watch: <K extends Kind>(place: Place<K>, options: WatchOptions<K>, signal: AbortSignal) => Promise<void>;
  readonly get: <K extends Kind>(named: Named<K>, signal?: AbortSignal) => Promise<KubeObject<K>>;
  /** `body` without apiVersion and kind. */
  readonly create: <K extends Kind>(place: Place<K>, body: object, signal?: AbortSignal) => Promise<KubeObject<K>>;
  readonly patch: <K extends Kind>(named: Named<K>, patch: Patch, signal?: AbortSignal) => Promise<KubeObject<K>>;
  readonly delete: (named: Named, options: DeleteOptions, signal?: AbortSignal) => Promise<void>;
  /** Lines are prefixed with their time (`timestamps=true`). Chunks end anywhere. */
  readonly podLog: (options: PodLogOptions, signal: AbortSignal) => Promise<AsyncIterable<Buffer>>;
  /** The same client, whose writes also tell what the API server warned of: https://kubernetes.io/blog/2020/09/03/warnings/ */
  readonly withWarnings: (onWarning: (warning: string) => void) => KubeApi;
  /** `apiVersion` of a kind as this cluster has it, once the kind was listed. */
  readonly apiVersion: (kind: Kind) => string;
  /** The times of the last hour in which the API server didn't answer. */
  readonly outages: () => readonly Outage[];
  readonly close: () => void;
};

/** The API server answered with an error. `message` is its text. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly status: number;
  /** Kubernetes' word: `NotFound`, `AlreadyExists`, `Forbidden`, `Expired` … */
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /**
   * A right that seems to be missing just after the API server was away: while it starts, it knows no rights yet, and says no
   * to everything.
   */
  readonly isEarly: boolean;

  constructor(
    status: number,
    message: string,
    details: {
      readonly reason?: string | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly isEarly?: boolean;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.reason = details.reason;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.isEarly = details.isEarly ?? false;
  }
}

/** The API server couldn't be reached, or didn't answer in time: a write may have happened. */
export class KubeUnreachable extends Error {
  override readonly name: string = "KubeUnreachable";
}

/** The exec plugin of the kubeconfig gave no credentials, so nothing was sent. `message` is a clause without secrets. */
export class NoCredentials extends KubeUnreachable {
  override readonly name = "NoCredentials";
}

/** A right that the Role is missing. */
type MissingRight = {
  readonly verb: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Undefined for a right on the whole cluster. */
  readonly namespace: string | undefined;
};

/** https://github.com/kubernetes/kubernetes/blob/v1.34.0/staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go */
const FORBIDDEN = /cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/u;

/** The right that a 403 says is missing; undefined for another 403, such as a full quota. */
export function missingRightOf({ status, message }: Pick<KubeError, "status" | "message">): MissingRight | undefined {
  const [, verb, resource, group, namespace] = (status === 403 ? FORBIDDEN.exec(message) : undefined) ?? [];
  if (verb === undefined || resource === undefined || group === undefined) return undefined;
  return { verb, resource, group, namespace };
}
