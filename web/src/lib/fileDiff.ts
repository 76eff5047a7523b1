import { diffLines, type DiffLine } from "./diff"

const context = 3
/** Beyond so many lines between the first and the last change, they are not compared. */
const longest = 600

/** What differs between two states of a file, with the numbers of the lines and some lines around; `null`: too much, or nothing that lines show. */
export function fileDiff(before: string, after: string): DiffLine[] | null {
  const [old, fresh] = [split(before), split(after)]
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++
  let [oldEnd, freshEnd] = [old.length, fresh.length]
  while (oldEnd > start && freshEnd > start && old[oldEnd - 1] === fresh[freshEnd - 1]) {
    oldEnd--
    freshEnd--
  }
  if (oldEnd === start && freshEnd === start) return null
  if (Math.max(oldEnd, freshEnd) - start > longest) return null
  const from = Math.max(0, start - context)
  const text = (lines: string[], end: number) => lines.slice(start, end).map((line) => line + "\n").join("")
  const middle = diffLines(text(old, oldEnd), text(fresh, freshEnd), Infinity)
  const same = (line: string): DiffLine => ({ kind: "same", text: line })
  return numbered([...old.slice(from, start).map(same), ...middle, ...old.slice(oldEnd, oldEnd + context).map(same)], from)
}

function split(text: string): string[] {
  if (text === "") return []
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")
}

/** Gives the lines their numbers, and folds what is the same over many of them. */
function numbered(lines: readonly DiffLine[], from: number): DiffLine[] {
  let [old, fresh] = [from, from]
  const all = lines.map((line): DiffLine => {
    if (line.kind === "del") return { kind: "del", text: line.text, old: ++old }
    if (line.kind === "add") return { kind: "add", text: line.text, fresh: ++fresh }
    return { kind: "same", text: line.text, old: ++old, fresh: ++fresh }
  })
  const isNear = all.map((_, index) => all.slice(Math.max(0, index - context), index + context + 1).some((line) => line.kind !== "same"))
  return all.flatMap((line, index) => isNear[index] ? [line] : isNear[index - 1] ? [{ kind: "head" as const, text: "…" }] : [])
}
