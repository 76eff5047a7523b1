/** A part of a text in Markdown. `text` holds spans. */
export type Block =
  | { kind: "paragraph"; text: string }
  | { kind: "heading"; level: number; text: string }
  /** `info`: what stands behind the opening marks, which begins with the language. */
  | { kind: "code"; info: string; language: string; text: string }
  | { kind: "rule" }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; start: number | null; items: ListItem[] }
  | { kind: "table"; head: string[]; align: Align[]; rows: string[][] }

export type Align = "" | "center" | "end"

export interface ListItem {
  /** Of a list of things to do: whether it is done. */
  isDone?: boolean
  blocks: Block[]
}

const deepest = 8
const mostRows = 300
// The texts may be hostile. No pattern may take more time than in proportion to the length of the line.
const fence = /^ {0,3}(`{3,}|~{3,})/
const heading = /^ {0,3}(#{1,6})(?=\s|$)/
const rule = /^ {0,3}(?:-[-\s]*|\*[*\s]*|_[_\s]*)$/
const marker = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)/
const bound = /^:?-+:?$/

export function blocksOf(text: string): Block[] {
  return parse(text.replace(/\r\n?/g, "\n").split("\n"), 0)
}

function parse(lines: string[], depth: number): Block[] {
  const out: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    if (line.trim() === "") {
      at++
      continue
    }
    const [block, next] = codeAt(lines, at) ?? headingAt(lines, at) ?? (depth < deepest ? quoteAt(lines, at, depth) ?? listAt(lines, at, depth) : null)
      ?? tableAt(lines, at) ?? paragraphAt(lines, at)
    out.push(block)
    at = next
  }
  return out
}

/** A block, and the line after it. */
type Found = [Block, number] | null

function codeAt(lines: string[], at: number): Found {
  const open = fenceOf(lines[at]!)
  if (!open) return null
  const info = lines[at]!.trim().slice(open.length).trim()
  let end = at + 1
  while (end < lines.length && !(lines[end]!.trim().startsWith(open) && /^\s*(`+|~+)\s*$/.test(lines[end]!))) end++
  const indent = indentOf(lines[at]!)
  const text = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, indentOf(line)))).join("\n")
  return [{ kind: "code", info, language: info.split(/\s/)[0] ?? "", text }, end + 1]
}

/** The marks that open code. Behind those of one kind, the other kind may stand. */
function fenceOf(line: string): string | null {
  const open = fence.exec(line)?.[1]
  return open === undefined || (open.startsWith("`") && line.indexOf("`", line.indexOf(open) + open.length) >= 0) ? null : open
}

function headingAt(lines: string[], at: number): Found {
  const found = heading.exec(lines[at]!)
  if (found) return [{ kind: "heading", level: found[1]!.length, text: withoutClosing(lines[at]!.slice(found[0]!.length).trim()) }, at + 1]
  return isRule(lines[at]!) ? [{ kind: "rule" }, at + 1] : null
}

/** A heading without the marks at its end, which stand behind a space. */
function withoutClosing(text: string): string {
  let end = text.length
  while (text[end - 1] === "#") end--
  return end === 0 || /\s/.test(text[end - 1]!) ? text.slice(0, end).trimEnd() : text
}

function isRule(line: string): boolean {
  return rule.test(line) && line.replace(/\s/g, "").length >= 3
}

function quoteAt(lines: string[], at: number, depth: number): Found {
  if (!/^ {0,3}>/.test(lines[at]!)) return null
  let end = at
  while (end < lines.length && /^ {0,3}>/.test(lines[end]!)) end++
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ""))
  return [{ kind: "quote", blocks: parse(inner, depth + 1) }, end]
}

function listAt(lines: string[], at: number, depth: number): Found {
  const first = marker.exec(lines[at]!)
  if (!first) return null
  const indent = indentOf(lines[at]!)
  const isOrdered = /\d/.test(first[2]!)
  const items: string[][] = []
  let [end, content] = [at, 0]
  while (end < lines.length) {
    const line = lines[end]!
    const found = marker.exec(line)
    const width = indentOf(line)
    if (line.trim() === "") {
      // A list goes on after an empty line if what follows is indented, or is its next item.
      const next = lines[end + 1] ?? ""
      const isNext = marker.test(next) && /\d/.test(marker.exec(next)![2]!) === isOrdered
      if (next.trim() === "" || !(indentOf(next) > indent || (isNext && indentOf(next) === indent))) break
      items[items.length - 1]!.push("")
    } else if (found && width <= indent + 1) {
      if (width < indent || /\d/.test(found[2]!) !== isOrdered) break
      content = widthOf(found[0]!)
      items.push([line.slice(found[0]!.length)])
    } else if (width > indent || !startsBlock(line)) {
      items[items.length - 1]!.push(dedented(line, content))
    } else {
      break
    }
    end++
  }
  const start = isOrdered ? Number.parseInt(first[2]!, 10) : null
  return [{ kind: "list", start, items: items.map((lines) => itemOf(lines, depth)) }, end]
}

function itemOf(lines: string[], depth: number): ListItem {
  const box = /^\[([ xX])\]\s+/.exec(lines[0] ?? "")
  if (!box) return { blocks: parse(lines, depth + 1) }
  return { isDone: box[1] !== " ", blocks: parse([lines[0]!.slice(box[0]!.length), ...lines.slice(1)], depth + 1) }
}

function tableAt(lines: string[], at: number): Found {
  const next = lines[at + 1] ?? ""
  if (!lines[at]!.includes("|") || !next.includes("-")) return null
  const [head, bounds] = [cells(lines[at]!), cells(next)]
  if (head.length !== bounds.length || !bounds.every((cell) => bound.test(cell))) return null
  let end = at + 2
  while (end < lines.length && lines[end]!.includes("|") && lines[end]!.trim() !== "" && end - at < mostRows) end++
  const align = bounds.map((bound): Align => bound.endsWith(":") ? bound.startsWith(":") ? "center" : "end" : "")
  const rows = lines.slice(at + 2, end).map((line) => rowOf(cells(line), head.length))
  return [{ kind: "table", head, align, rows }, end]
}

/** A row of a table. What stands beyond its last column is shown in that column. */
function rowOf(cells: string[], width: number): string[] {
  const row = cells.slice(0, width)
  while (row.length < width) row.push("")
  if (cells.length > width) row[width - 1] = cells.slice(width - 1).join(" | ")
  return row
}

/** The cells of a row: a bar in code or after a backslash is a part of its cell. */
function cells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "")
  return (inner.match(/(?:\\.|`[^`]*`|[^|])+|(?<=\|)(?=\|)/g) ?? []).map((cell) => cell.trim().replace(/\\\|/g, "|"))
}

function paragraphAt(lines: string[], at: number): [Block, number] {
  let end = at + 1
  while (end < lines.length && lines[end]!.trim() !== "" && !startsBlock(lines[end]!)) end++
  return [{ kind: "paragraph", text: lines.slice(at, end).map((line) => line.trimEnd()).join("\n").trim() }, end]
}

function startsBlock(line: string): boolean {
  return fenceOf(line) !== null || heading.test(line) || isRule(line) || marker.test(line) || /^ {0,3}>/.test(line)
}

function indentOf(line: string): number {
  return widthOf(/^\s*/.exec(line)?.[0] ?? "")
}

function widthOf(space: string): number {
  return space.replace(/\t/g, "    ").length
}

function dedented(line: string, width: number): string {
  const text = line.replace(/^\t+/, (tabs) => "    ".repeat(tabs.length))
  return text.slice(Math.min(width, indentOf(text)))
}
