interface Ways<T> {
  keyOf: (item: T) => string
  mark: (item: T) => string
  blend: (held: T, fresh: T | undefined) => T
  isOwn: (held: T, fresh: T | undefined) => boolean
}

/** What is shown while the list is held, and how many changes by others wait. */
export function blended<T>(held: T[], wanted: T[], { keyOf, mark, blend, isOwn }: Ways<T>): { shown: T[]; waiting: number } {
  const fresh = new Map(wanted.map((item) => [keyOf(item), item]))
  const known = new Set(held.map(mark))
  const before = new Map(held.map((item) => [keyOf(item), item]))
  const gone = held.filter((item) => !fresh.has(keyOf(item)) && !isOwn(item, undefined)).length
  const changed = wanted.filter((item) => {
    const was = before.get(keyOf(item))
    return !known.has(mark(item)) && !(was !== undefined && isOwn(was, item))
  }).length
  const isMoved = gone + changed === 0 && held.every((item) => known.has(mark(fresh.get(keyOf(item)) ?? item)))
  const shown = held.map((item) => {
    const now = fresh.get(keyOf(item))
    return now && mark(now) === mark(item) ? now : blend(item, now)
  })
  // Another order of the same is a change too.
  return { shown, waiting: isMoved ? 1 : gone + changed }
}
