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

const marker = /^\s*([-*+]|\d+[.)])\s+/

function isItem(line: string): boolean {
  return marker.test(line)
}

interface ListItem {
  text: string
  /** The lines of the list inside it. */
  inner: string[]
}

const deepest = 8

function list(lines: string[], key: number, depth = 0): ReactElement {
  const indent = indentOf(lines[0] ?? "")
  const items: ListItem[] = []
  for (const line of lines) {
    const last = items[items.length - 1]
    if (last && isItem(line) && indentOf(line) > indent + 1 && depth < deepest) last.inner.push(line)
    else if (isItem(line)) items.push({ text: line.replace(marker, ""), inner: [] })
    else if (last && last.inner.length > 0) last.inner.push(line)
    else if (last) last.text += "\n" + line.trim()
  }
  const children = items.map(({ text, inner }, index) => (
    <li key={index} dir="auto">{inline(text)}{inner.length > 0 && list(inner, 0, depth + 1)}</li>
  ))
  const start = /^\s*(\d{1,9})/.exec(lines[0] ?? "")?.[1]
  return start ? <ol key={key} start={Number(start)}>{children}</ol> : <ul key={key}>{children}</ul>
}

function indentOf(line: string): number {
  return (/^\s*/.exec(line)?.[0] ?? "").replace(/\t/g, "    ").length
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
