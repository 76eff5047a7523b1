import type { DiffLine } from "./diff"
import { changedWords, type Range } from "./wordDiff"

export interface DiffRow {
  line: DiffLine
  /** The row side by side: lines that replace others stand beside them. */
  row: number
  /** The words that differ from those of the line beside it. */
  words: Range[]
}

/** How far beyond the limit a run of changes goes on. */
const slack = 40

/** How many lines are shown of at most `most`: a line that replaces another is not cut off from it. */
export function cutOf(lines: readonly DiffLine[], most: number): number {
  if (lines.length <= most) return lines.length
  const isChange = (at: number) => lines[at]?.kind === "add" || lines[at]?.kind === "del"
  if (!isChange(most - 1) || !isChange(most)) return most
  let end = most
  while (end < lines.length && isChange(end)) end++
  if (end - most <= slack) return end
  let start = most
  while (start > 0 && isChange(start - 1)) start--
  return start > 0 ? start : most
}

export function rowsOf(lines: readonly DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = []
  let next = 1
  for (let at = 0; at < lines.length;) {
    const [removed, added] = [run(lines, at, "del"), run(lines, at + run(lines, at, "del"), "add")]
    if (removed + added === 0) {
      rows.push({ line: lines[at++]!, row: next++, words: [] })
      continue
    }
    const words = pairs(lines, at, removed, added)
    for (let index = 0; index < removed; index++) rows.push({ line: lines[at + index]!, row: next + index, words: words[index]?.[0] ?? [] })
    for (let index = 0; index < added; index++) rows.push({ line: lines[at + removed + index]!, row: next + index, words: words[index]?.[1] ?? [] })
    next += Math.max(removed, added)
    at += removed + added
  }
  return rows
}

function run(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let at = from
  while (lines[at]?.kind === kind) at++
  return at - from
}

const longestLine = 1_000

function pairs(lines: readonly DiffLine[], at: number, removed: number, added: number): [Range[], Range[]][] {
  return Array.from({ length: Math.min(removed, added) }, (_, index): [Range[], Range[]] => {
    const [old, fresh] = [lines[at + index]!.text, lines[at + removed + index]!.text]
    return Math.max(old.length, fresh.length) > longestLine ? [[], []] : changedWords(old, fresh)
  })
}
