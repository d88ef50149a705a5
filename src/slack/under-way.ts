export type UnderWay = {
  /** Does the work unless this key is being worked on; then it does nothing, because somebody does. */
  readonly once: (key: string, work: () => Promise<void>) => Promise<void>;
};

export function createUnderWay(): UnderWay {
  const keys = new Set<string>();
  return {
    async once(key, work) {
      if (keys.has(key)) return;
      keys.add(key);
      try {
        await work();
      } finally {
        keys.delete(key);
      }
    },
  };
}
