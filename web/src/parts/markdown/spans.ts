/** A part of a line of Markdown. */
export type Span =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "em" | "del"; spans: Span[] }
  /** `href` absent: it leads nowhere that a page may lead, and is shown as text. */
  | { kind: "link"; spans: Span[]; target: string; title?: string; href?: string }

const deepest = 6
/** How far the end of a span is looked for. */
const longest = 4_000
const special = /[\\`*_~[!<h]/

/** @param isLabel the words of a link, in which no other link begins */
export function spansOf(text: string, depth = 0, isLabel = false): Span[] {
  return new Scanner(text, depth, isLabel).scan()
}

/** The address of a link that leads to the web or to a mail program; others are not links. */
export function safeAddress(target: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(target)) return undefined
  try {
    const { href, protocol } = new URL(target)
    return /^(https?|mailto):$/.test(protocol) ? href : undefined
  } catch {
    return undefined
  }
}

/** The backticks at a place. */
function runOf(text: string, at: number): string {
  return /^`+/.exec(text.slice(at, at + 80))?.[0] ?? "`"
}

/** Code without one space on each side, as where it begins or ends with a backtick. */
function withoutPadding(code: string): string {
  return code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "" ? code.slice(1, -1) : code
}

/** An address without the punctuation of the sentence behind it, and without a parenthesis that it does not open. */
function withoutTail(address: string): string {
  let open = 0
  for (const character of address) open += character === "(" ? 1 : character === ")" ? -1 : 0
  let end = address.length
  for (; end > 0; end--) {
    const last = address[end - 1]!
    if (last === ")" && open < 0) open++
    else if (!".,;:!?*_~".includes(last)) break
  }
  return address.slice(0, end)
}

class Scanner {
  private readonly out: Span[] = []
  private plain = ""
  private at = 0
  /** Marks that have no end after this place; each is looked for once. */
  private readonly missing = new Set<string>()
  /** Where the next words of a link end. */
  private close = -1

  constructor(private readonly text: string, private readonly depth: number, private readonly isLabel: boolean) {}

  scan(): Span[] {
    const { text } = this
    while (this.at < text.length) {
      const rest = text.slice(this.at, this.at + longest).search(special)
      if (rest < 0) {
        this.plain += text.slice(this.at, this.at + longest)
        this.at += longest
        continue
      }
      this.plain += text.slice(this.at, this.at + rest)
      this.at += rest
      if (this.take()) continue
      this.plain += text[this.at]
      this.at++
    }
    this.flush()
    return this.out
  }

  private take(): boolean {
    const { text, at } = this
    switch (text[at]) {
      case "\\":
        if (!/[\\`*_~[\]()!<>#|-]/.test(text[at + 1] ?? "")) return false
        this.plain += text[at + 1]
        this.at += 2
        return true
      case "`": return this.code()
      case "*": case "_": return this.marked(text.startsWith(text[at]!.repeat(2), at) ? text[at]!.repeat(2) : text[at]!)
      case "~": return text.startsWith("~~", at) && this.marked("~~")
      case "[": return this.link(at)
      case "!": return text[at + 1] === "[" && this.link(at + 1)
      default: return this.address()
    }
  }

  private add(span: Span, end: number): true {
    this.flush()
    this.out.push(span)
    this.at = end
    return true
  }

  private flush(): void {
    if (this.plain) this.out.push({ kind: "text", text: this.plain })
    this.plain = ""
  }

  private code(): boolean {
    const open = runOf(this.text, this.at)
    const start = this.at + open.length
    if (this.missing.has(open)) return false
    for (let end = this.text.indexOf(open, start); end >= 0 && end - start < longest; end = this.text.indexOf(open, end)) {
      const run = runOf(this.text, end)
      if (run.length !== open.length) {
        end += run.length
        continue
      }
      if (end === start) break
      return this.add({ kind: "code", text: withoutPadding(this.text.slice(start, end)) }, end + open.length)
    }
    this.missing.add(open)
    this.plain += open
    this.at = start
    return true
  }

  /** Bold, italic and struck text. Underlines inside words, as in names, are none. */
  private marked(mark: string): boolean {
    const { text, at } = this
    const start = at + mark.length
    const isInWord = mark[0] === "_" && /[\p{L}\p{N}]/u.test(text[at - 1] ?? "")
    if (this.depth >= deepest || this.missing.has(mark) || isInWord || /\s|^$/.test(text[start] ?? "")) return false
    for (let end = text.indexOf(mark, start + 1); end >= 0 && end - start < longest; end = text.indexOf(mark, end + 1)) {
      const isDouble = mark.length === 1 && (text[end + 1] === mark || text[end - 1] === mark)
      if (isDouble) {
        if (text[end + 1] === mark) end++
        continue
      }
      if (/\s/.test(text[end - 1]!) || (mark[0] === "_" && /[\p{L}\p{N}]/u.test(text[end + mark.length] ?? ""))) continue
      const kind = mark === "~~" ? "del" : mark.length === 2 ? "strong" : "em"
      return this.add({ kind, spans: spansOf(text.slice(start, end), this.depth + 1, this.isLabel) }, end + mark.length)
    }
    this.missing.add(mark)
    return false
  }

  private link(bracket: number): boolean {
    if (this.depth >= deepest) return false
    if (this.close < bracket) this.close = this.text.indexOf("](", bracket)
    if (this.close < 0) this.close = Infinity
    const { close } = this
    if (close - bracket > longest) return false
    if (this.text.slice(bracket + 1, close).includes("[")) return false
    const found = /^\(\s*<?((?:[^\s()<>]|\([^\s()]*\)){1,2000})>?(?:\s+"([^"]{0,300})")?\s*\)/.exec(this.text.slice(close + 1, close + 2_400))
    if (!found) return false
    const target = found[1]!
    const label = this.text.slice(bracket + 1, close).trim()
    const title = found[2] ? { title: found[2] } : {}
    return this.add({ kind: "link", spans: spansOf(label || target, this.depth + 1, true), target, ...title, href: safeAddress(target) }, close + 1 + found[0]!.length)
  }

  /** A bare address. */
  private address(): boolean {
    const { text, at } = this
    if (this.isLabel || /[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return false
    const isAngled = text[at] === "<"
    const found = /^https?:\/\/[^\s<>"'`]{1,2000}/.exec(text.slice(isAngled ? at + 1 : at, at + 2_001))?.[0]
    if (!found) return false
    const target = isAngled ? found : withoutTail(found)
    const href = safeAddress(target)
    if (!href) return false
    const end = (isAngled ? at + 1 : at) + target.length
    return this.add({ kind: "link", spans: [{ kind: "text", text: target }], target, href }, isAngled && text[end] === ">" ? end + 1 : end)
  }
}
