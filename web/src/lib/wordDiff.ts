/** A part of a text: from, and to before. */
export type Range = [number, number]

/** Beyond this many words on a side all that differs is one range. */
const longest = 120
/** Lines that have less in common are other lines, and not changed ones. */
const leastShare = 0.3

/** What differs between two lines, by words: the ranges in the old one and in the new one. */
export function changedWords(old: string, fresh: string): [Range[], Range[]] {
  const [before, after] = [words(old), words(fresh)]
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let [endBefore, endAfter] = [before.length, after.length]
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--
    endAfter--
  }
  const kept = common(before.slice(start, endBefore), after.slice(start, endAfter))
  const isKept = (list: string[], end: number, inner: boolean[]) => list.map((_, index) => index < start || index >= end || inner[index - start] === true)
  const [keptBefore, keptAfter] = [isKept(before, endBefore, kept[0]), isKept(after, endAfter, kept[1])]
  const shared = before.reduce((sum, word, index) => keptBefore[index] ? sum + word.trim().length : sum, 0)
  const length = Math.max(old.replace(/\s/g, "").length, fresh.replace(/\s/g, "").length)
  return shared < leastShare * length ? [[], []] : [ranges(before, keptBefore), ranges(after, keptAfter)]
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
}

/** For each word whether it is in the longest common subsequence. */
function common(before: string[], after: string[]): [boolean[], boolean[]] {
  const marks: [boolean[], boolean[]] = [before.map(() => false), after.map(() => false)]
  if (before.length > longest || after.length > longest) return marks
  const width = after.length + 1
  const lengths = new Uint8Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const here = i * width + j
      lengths[here] = before[i] === after[j] ? lengths[here + width + 1]! + 1 : Math.max(lengths[here + width]!, lengths[here + 1]!)
    }
  }
  for (let i = 0, j = 0; i < before.length && j < after.length;) {
    if (before[i] === after[j]) marks[0][i++] = marks[1][j++] = true
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return marks
}

function ranges(list: string[], kept: boolean[]): Range[] {
  const out: Range[] = []
  let at = 0
  list.forEach((word, index) => {
    const last = out[out.length - 1]
    if (!kept[index] && last && last[1] === at) last[1] += word.length
    else if (!kept[index]) out.push([at, at + word.length])
    at += word.length
  })
  return out
}
