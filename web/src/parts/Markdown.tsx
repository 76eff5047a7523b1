import { memo, useMemo, type ReactElement, type ReactNode } from "react"
import { cut, visibleText } from "../lib/visible"
import { t } from "../words/words"
import { Code } from "./Code"
import { blocksOf, type Block, type ListItem } from "./markdown/blocks"
import { spansOf, type Span } from "./markdown/spans"
import { Pieces, Plain } from "./Plain"

const longest = 200_000

interface Props {
  text: string
  /** A person decides by it: nothing of the text is cut, folded or only in a tooltip. */
  isWhole?: boolean
}

/** The part of Markdown that models write. Every piece of text stays text: no HTML and no pictures; links open apart. */
export const Markdown = memo(function Markdown({ text, isWhole = false }: Props) {
  const blocks = useMemo(() => blocksOf(isWhole ? text.slice(0, longest) : cut(text, longest)), [text, isWhole])
  return (
    <div className={isWhole ? "prose whole" : "prose"}>
      {blocks.map(drawn)}
      {isWhole && text.length > longest && <pre className="cmd"><Plain text={text.slice(longest)} isCommand /></pre>}
    </div>
  )
})

function drawn(block: Block, key: number): ReactElement {
  switch (block.kind) {
    case "paragraph": return <p key={key} dir="auto">{inline(block.text)}</p>
    case "heading": return <p key={key} className={`title t${block.level}`} role="heading" aria-level={Math.min(6, block.level + 2)} dir="auto">{inline(block.text)}</p>
    case "code": return <Code key={key} text={block.text} language={block.language} info={block.info} />
    case "rule": return <hr key={key} />
    case "quote": return <blockquote key={key}>{block.blocks.map(drawn)}</blockquote>
    case "list": {
      const items = block.items.map(item)
      return block.start === null ? <ul key={key}>{items}</ul> : <ol key={key} start={block.start}>{items}</ol>
    }
    case "table": return <Table key={key} table={block} />
  }
}

function item({ isDone, blocks }: ListItem, key: number): ReactElement {
  const [first, ...rest] = blocks
  const isPlain = first?.kind === "paragraph"
  return (
    <li key={key} dir="auto" className={isDone === undefined ? undefined : isDone ? "task done" : "task"}>
      {isDone !== undefined && <span className="hear">{t(isDone ? "task.completed" : "task.pending")}: </span>}
      {isPlain ? inline(first.text) : first && drawn(first, 0)}
      {rest.map((block, index) => drawn(block, index + 1))}
    </li>
  )
}

function Table({ table: { head, align, rows } }: { table: Extract<Block, { kind: "table" }> }) {
  const style = (index: number) => align[index] ? { textAlign: align[index] } : undefined
  return (
    <div className="tablebox" tabIndex={0} role="group" aria-label={t("table")}>
      <table>
        <thead><tr>{head.map((cell, index) => <th key={index} style={style(index)} dir="auto">{inline(cell)}</th>)}</tr></thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>{row.map((cell, index) => <td key={index} style={style(index)} dir="auto">{inline(cell)}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inline(text: string): ReactNode[] {
  return spansOf(text).map(span)
}

function span(one: Span, key: number): ReactNode {
  switch (one.kind) {
    case "text": return <Pieces key={key} text={one.text} />
    case "code": return <code key={key}><Plain text={one.text} /></code>
    case "strong": return <b key={key}>{one.spans.map(span)}</b>
    case "em": return <em key={key}>{one.spans.map(span)}</em>
    case "del": return <del key={key}>{one.spans.map(span)}</del>
    case "link": return <Link key={key} link={one} />
  }
}

/** A link that leads to the web opens apart, and tells nothing about this page; of others only the words are there. */
function Link({ link }: { link: Extract<Span, { kind: "link" }> }) {
  const words = link.spans.map(span)
  const label = link.spans.map((one) => "text" in one ? one.text : "").join("")
  const isSame = label === link.target
  const target = (
    <>
      {!isSame && <> (<Plain text={link.target} />)</>}
      {link.title !== undefined && <> “<Plain text={link.title} />”</>}
    </>
  )
  if (!link.href) return <>{words}<span className="soft">{target}</span></>
  // Words that look like another address say where the link leads.
  const isTold = !isSame && /^\s*(https?:|www\.)/i.test(label)
  return (
    <>
      <a href={link.href} title={visibleText(link.target)} rel="noopener noreferrer nofollow" target="_blank">{words}</a>
      <span className={isTold ? "soft" : "soft target"}>{target}</span>
    </>
  )
}
