/** `old` and `fresh`: the numbers of the line in the file before and after, where they are known. */
export type DiffLine = { kind: "add" | "del" | "same" | "head"; text: string; old?: number; fresh?: number }

/** Beyond this many lines on a side, the texts are shown one after the other. */
const longest = 600
const context = 3

/**
 * The lines that differ, with some around them.
 * @param around how many; infinite: all of both texts
 */
export function diffLines(before: string, after: string, around = context): DiffLine[] {
  const [old, fresh] = [split(before), split(after)]
  // A file that is new begins at its first line; where a part of a file changes, its place is not known.
  if (old.length === 0) return fresh.map((text, index) => ({ ...added(text), fresh: index + 1 }))
  if (old.length > longest || fresh.length > longest) return [...old.map(removed), ...fresh.map(added)]
  return folded(compare(old, fresh), around)
}

function split(text: string): string[] {
  if (text === "") return []
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")
}

const removed = (text: string): DiffLine => ({ kind: "del", text })
const added = (text: string): DiffLine => ({ kind: "add", text })
const same = (text: string): DiffLine => ({ kind: "same", text })

/** The longest common subsequence, by the table of lengths. */
function compare(old: string[], fresh: string[]): DiffLine[] {
  const width = fresh.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const here = i * width + j
      lengths[here] = old[i] === fresh[j] ? lengths[here + width + 1]! + 1
        : Math.max(lengths[here + width]!, lengths[here + 1]!)
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push(same(old[i++]!))
      j++
    } else if (i < old.length && (j >= fresh.length || lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      lines.push(removed(old[i++]!))
    } else {
      lines.push(added(fresh[j++]!))
    }
  }
  return lines
}

function folded(lines: DiffLine[], around: number): DiffLine[] {
  if (around === Infinity) return lines
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some((line) => line.kind !== "same"))
  const out: DiffLine[] = []
  lines.forEach((line, index) => {
    if (near[index]) out.push(line)
    else if (near[index - 1] || index === 0) out.push({ kind: "head", text: "…" })
  })
  return out
}

interface Hunk {
  oldStart?: unknown
  newStart?: unknown
  lines?: unknown
}

/** The hunks of a patch as Claude Code reports them. */
export function patchLines(patch: unknown): DiffLine[] | null {
  if (!Array.isArray(patch) || patch.length === 0) return null
  const lines: DiffLine[] = []
  for (const hunk of patch as Hunk[]) {
    const found = hunkLines(hunk)
    if (!found) return null
    if (lines.length > 0) lines.push({ kind: "head", text: "…" })
    lines.push(...found)
  }
  return lines
}

function hunkLines({ oldStart, newStart, lines }: Hunk): DiffLine[] | null {
  if (!Array.isArray(lines) || !lines.every((line): line is string => typeof line === "string")) return null
  let old = typeof oldStart === "number" ? oldStart : NaN
  let fresh = typeof newStart === "number" ? newStart : NaN
  return lines.map((line) => {
    const text = line.slice(1)
    if (line[0] === "+") return numbered(added(text), undefined, fresh++)
    if (line[0] === "-") return numbered(removed(text), old++, undefined)
    return numbered(same(text), old++, fresh++)
  })
}

function numbered(line: DiffLine, old: number | undefined, fresh: number | undefined): DiffLine {
  return { ...line, ...(old && old > 0 ? { old } : {}), ...(fresh && fresh > 0 ? { fresh } : {}) }
}

export function countChanges(lines: DiffLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === "add").length,
    removed: lines.filter((line) => line.kind === "del").length,
  }
}
