/** The height of a row that was not in the document yet. */
const guess = 44

/** Where each row begins, and at the end the height of all. */
export function positions(keys: readonly string[], heights: ReadonlyMap<string, number>): Float64Array {
  const tops = new Float64Array(keys.length + 1)
  for (let index = 0; index < keys.length; index++) {
    tops[index + 1] = tops[index]! + (heights.get(keys[index]!) ?? guess)
  }
  return tops
}

/** The row that covers a position. */
export function rowAt(tops: Float64Array, position: number): number {
  let [low, high] = [0, tops.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (tops[middle]! <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** The rows that a view covers, with some pixels on both sides: the first, and the one after the last. */
export function rowsIn(tops: Float64Array, top: number, height: number, margin: number): [number, number] {
  const count = tops.length - 1
  return [Math.max(0, rowAt(tops, top - margin)), Math.min(count, rowAt(tops, top + height + margin) + 1)]
}
