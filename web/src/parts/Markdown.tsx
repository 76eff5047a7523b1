import type { ReactElement, ReactNode } from "react"
import { cut } from "../lib/visible"
import { Pieces, Plain } from "./Plain"

/** The part of Markdown that models write. Every piece of text stays text: no HTML, no pictures, no links that act. */
export function Markdown({ text }: { text: string }) {
  return <div className="prose">{blocks(cut(text, 200_000))}</div>
}

function blocks(text: string): ReactElement[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n")
  const out: ReactElement[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ""
    const fence = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (fence) {
      const end = lines.findIndex((other, index) => index > at && other.trim().startsWith(fence))
      const code = lines.slice(at + 1, end < 0 ? lines.length : end).join("\n")
      out.push(<pre key={at} className="cmd" tabIndex={0}><Plain text={code} /></pre>)
      at = end < 0 ? lines.length : end + 1
    } else if (isItem(line)) {
      const start = at
      while (at < lines.length && (isItem(lines[at] ?? "") || /^\s{2,}\S/.test(lines[at] ?? ""))) at++
      out.push(list(lines.slice(start, at), start))
    } else if (/^#{1,6}\s/.test(line)) {
      out.push(<p key={at} className="title" dir="auto">{inline(line.replace(/^#+\s+/, ""))}</p>)
      at++
    } else if (line.trim() === "") {
      at++
    } else {
      const start = at
      while (at < lines.length && (lines[at] ?? "").trim() && !isItem(lines[at] ?? "") && !/^(#{1,6}\s|\s*```)/.test(lines[at] ?? "")) at++
      if (at === start) at++
      out.push(<p key={start} dir="auto">{inline(lines.slice(start, at).join("\n"))}</p>)
    }
  }
  return out
}

function isItem(line: string): boolean {
  return /^\s*([-*+]|\d+[.)])\s+/.test(line)
}

function list(lines: string[], key: number): ReactElement {
  const items: string[] = []
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(/^\s*([-*+]|\d+[.)])\s+/, ""))
    else items[items.length - 1] += "\n" + line.trim()
  }
  const children = items.map((item, index) => <li key={index} dir="auto">{inline(item)}</li>)
  return /^\s*\d/.test(lines[0] ?? "") ? <ol key={key}>{children}</ol> : <ul key={key}>{children}</ul>
}

const span = /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|\*\*(\S[\s\S]*?)\*\*/g

function inline(text: string): ReactNode[] {
  const out: ReactNode[] = []
  let end = 0
  for (const found of text.matchAll(span)) {
    const at = found.index ?? 0
    if (at > end) out.push(<Pieces key={end} text={text.slice(end, at)} />)
    const [whole = "", , code, strong] = found
    out.push(code !== undefined ? <code key={at}><Plain text={code} /></code>
      : <b key={at}><Pieces text={strong ?? ""} /></b>)
    end = at + whole.length
  }
  if (end < text.length) out.push(<Pieces key={end} text={text.slice(end)} />)
  return out
}
