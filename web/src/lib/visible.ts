/** A piece of a text: as it is, or a character that would not be seen, with its name. */
export type Piece = string | { mark: string; title: string }

/** Control characters but tab and line feed; what Unicode says is not drawn, such as zero-width and bidirectional controls. */
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u180e\ufff9-\ufffb\u{1d173}-\u{1d17a}\p{Default_Ignorable_Code_Point}]/gu
/** Emoji are joined and given their colours by invisible characters, which are part of their picture. */
const emojiBefore = /\p{Extended_Pictographic}(\ufe0f|[\u{1f3fb}-\u{1f3ff}])?$/u
const keyBefore = /[0-9#*]$/
/** Each line is looked at once, whatever its length. */
const blankLines = /(?<![ \t])(?:[ \t]*\n){7,}/g
const word = /[\p{L}\p{N}_.-]+/gu
const latin = /\p{Script=Latin}/u
const lookAlike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}]/gu

const names: Record<string, string> = {
  "\u001b": "ESC", "\u0007": "BEL", "\u0008": "BS", "\r": "CR", "\u0000": "NUL", "\u00ad": "SHY", "\u200b": "ZWSP",
  "\u200c": "ZWNJ", "\u200d": "ZWJ", "\u200e": "LRM", "\u200f": "RLM", "\u202a": "LRE", "\u202b": "RLE",
  "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI",
  "\u2069": "PDI", "\ufeff": "BOM", "\u2028": "LS", "\u2029": "PS",
}

function codePoint(character: string): string {
  return "U+" + (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
}

/**
 * A text in which a person sees what is there: characters that are invisible, or that reorder others, are named.
 * @param isCommand also names carriage returns before line feeds, folds long runs of empty lines, and marks letters of
 *   other scripts inside Latin words
 */
export function visiblePieces(text: string, isCommand = false): Piece[] {
  const marks: { at: number; length: number; piece: Piece }[] = []
  const add = (at: number, length: number, mark: string, title: string) =>
    marks.push({ at, length, piece: { mark, title } })
  for (const [at, found] of places(text, hidden)) {
    if (isOfEmoji(text, at, found)) continue
    if (found === "\r" && text[at + 1] === "\n" && !isCommand) marks.push({ at, length: 1, piece: "" })
    else add(at, found.length, names[found] ?? codePoint(found), codePoint(found))
  }
  if (isCommand) markCommand(text, add)
  if (marks.length === 0) return [text]
  return assemble(text, marks.sort((one, other) => one.at - other.at))
}

function isOfEmoji(text: string, at: number, found: string): boolean {
  const before = text.slice(Math.max(0, at - 4), at)
  if (found === "\u200d") return emojiBefore.test(before)
  return found === "\ufe0f" && (emojiBefore.test(before) || (text[at + 1] === "\u20e3" && keyBefore.test(before)))
}

/** Where a pattern is found, and what is there. */
function places(text: string, pattern: RegExp): [number, string][] {
  return [...text.matchAll(pattern)].map((found) => [found.index ?? 0, found[0] ?? ""])
}

function markCommand(text: string, add: (at: number, length: number, mark: string, title: string) => void): void {
  for (const [at, run] of places(text, blankLines)) {
    const count = run.split("\n").length - 1
    add(at + 1, run.length - 2, `⋮ ${count - 2} ⋮`, `${count} lines`)
  }
  for (const [at, found] of places(text, word)) {
    if (!latin.test(found)) continue
    for (const [inside, letter] of places(found, lookAlike)) add(at + inside, letter.length, letter, codePoint(letter))
  }
}

function assemble(text: string, marks: { at: number; length: number; piece: Piece }[]): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const mark of marks) {
    if (mark.at < end) continue
    if (mark.at > end) pieces.push(text.slice(end, mark.at))
    if (mark.piece) pieces.push(mark.piece)
    end = mark.at + mark.length
  }
  if (end < text.length) pieces.push(text.slice(end))
  return pieces
}

/** The same as plain text, for places that take nothing else, such as options of a list. */
export function visibleText(text: string): string {
  return visiblePieces(text).map((piece) => typeof piece === "string" ? piece : `⟨${piece.mark}⟩`).join("")
}

/** For places that show plain text alone, such as titles: without what would not be seen. */
export function withoutHidden(text: string): string {
  return text.replace(hidden, "")
}

/** Removes the sequences with which programs colour a terminal. Others stay, to be shown by name. */
export function withoutColours(text: string): string {
  return text.replace(/\u001b\[[0-9;:]*m/g, "")
}

/** At most `limit` characters, not cut inside a pair of surrogates. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit) + "…"
}

/** One line for lists. */
export function oneLine(text: string, limit = 300): string {
  return cut(text.slice(0, 4 * limit).replace(/\s+/g, " ").trim(), limit)
}
