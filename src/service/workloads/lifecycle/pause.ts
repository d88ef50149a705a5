/** A pause that can be cut short. */
export type Pause = { readonly take: (ms: number) => Promise<void>; readonly end: () => void };

export function makePause(): Pause {
  let wake: (() => void) | undefined;
  return {
    async take(ms) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
    },
    end: () => wake?.(),
  };
}
