export type DiffLine = { kind: "add" | "del" | "same" | "head"; text: string }

/** Beyond this many lines on a side, the texts are shown one after the other. */
const longest = 600
const context = 3

/** The lines that differ, with some around them. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [split(before), split(after)]
  if (old.length > longest || fresh.length > longest) return [...old.map(removed), ...fresh.map(added)]
  return folded(compare(old, fresh))
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

function folded(lines: DiffLine[]): DiffLine[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some((line) => line.kind !== "same"))
  const out: DiffLine[] = []
  lines.forEach((line, index) => {
    if (near[index]) out.push(line)
    else if (near[index - 1] || index === 0) out.push({ kind: "head", text: "…" })
  })
  return out
}

/** The hunks of a patch as Claude Code reports them. */
export function patchLines(patch: unknown): DiffLine[] | null {
  if (!Array.isArray(patch) || patch.length === 0) return null
  const lines: DiffLine[] = []
  for (const hunk of patch as { oldStart?: number; newStart?: number; lines?: unknown }[]) {
    if (!Array.isArray(hunk.lines)) return null
    lines.push({ kind: "head", text: `@@ ${hunk.oldStart ?? "?"} → ${hunk.newStart ?? "?"}` })
    for (const line of hunk.lines) {
      if (typeof line !== "string") return null
      lines.push(line[0] === "+" ? added(line.slice(1)) : line[0] === "-" ? removed(line.slice(1)) : same(line.slice(1)))
    }
  }
  return lines
}

export function countChanges(lines: DiffLine[]): { added: number; removed: number } {
  return {
    added: lines.filter((line) => line.kind === "add").length,
    removed: lines.filter((line) => line.kind === "del").length,
  }
}
