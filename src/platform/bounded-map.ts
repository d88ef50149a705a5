import { LRUCache } from "lru-cache";

/**
 * A map that forgets what was used longest ago when it is full. Its size is limited by `maxSize`, because with `max` the
 * library allocates all of it at once: 109 KiB for 5,000 entries, and each workspace has several such maps.
 */
export function boundedMap<Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
