import { memo, useMemo, useState, type ReactNode } from "react"
import { countChanges, type DiffLine } from "../lib/diff"
import { cutOf, rowsOf, type DiffRow } from "../lib/diffRows"
import { shortPath } from "../lib/names"
import { cut } from "../lib/visible"
import type { Range } from "../lib/wordDiff"
import { t } from "../words/words"
import { languageOfFile, useTones, type Tone } from "./highlight"
import { Masked } from "./Masked"
import { Pieces, Plain } from "./Plain"

const sign = { add: "+", del: "−", same: " ", head: "" }
const style = { add: "a", del: "d", same: "s", head: "h" }
const longestLine = 2_000
/** So many more at a time: as many as a phone draws without a pause. */
const linesPerStep = 2_000

interface Props {
  lines: DiffLine[]
  /** How many lines at first; all of them in a prompt, since a person decides by what is there. */
  shown?: number
  /** Three asterisks stand for a part that is not shown. */
  isMasked?: boolean
  /** Of the file, for the head; absent: it stands elsewhere. */
  path?: string
  root?: string
  /** Where the path in the head leads. */
  href?: string
  /** The same where the head stands elsewhere: by it the language is known. */
  name?: string
  /** Absent: side by side where there is much room. */
  layout?: "unified" | "sides"
}

/** A change: unified where it is narrow, old and new side by side where there is much room. */
export const Diff = memo(function Diff({ lines, shown = Infinity, isMasked = false, path, root, href, name = path, layout }: Props) {
  const [added, setAdded] = useState(0)
  const count = cutOf(lines, shown + added)
  const isDecision = shown === Infinity
  const rows = useMemo(() => rowsOf(lines.slice(0, count)), [lines, count])
  const tones = useSides(lines, isDecision || name === undefined ? undefined : languageOfFile(name))
  const text = ({ line, words }: DiffRow, index: number) => isDecision ? <Masked text={line.text} isMasked={isMasked} />
    : <Coloured text={line.text} tones={tones[index]} words={words} />
  // A file that is new, or gone, has one side.
  const hasSides = layout !== "unified" && lines.some((line) => line.kind === "add") && lines.some((line) => line.kind === "del")
  const isNumbered = lines.some((line) => line.old !== undefined || line.fresh !== undefined)
  return (
    <div className="diffbox">
      {path !== undefined && <FileHead path={path} root={root} href={href} lines={lines} />}
      <div className={(hasSides ? "diff sides" + (layout ? " chosen" : "") : "diff") + (isNumbered ? " numbered" : "")} tabIndex={0} role="group" aria-label={t("diff.label")}>
        {rows.map((row, index) => <Row key={index} row={row} hasSides={hasSides}>{text(row, index)}</Row>)}
      </div>
      {count < lines.length && (
        <button type="button" className="quiet more" onClick={() => setAdded(added + linesPerStep)}>
          {t("more.lines", { n: lines.length - count })}
        </button>
      )}
    </div>
  )
})

function FileHead({ path, root, href, lines }: { path: string; root: string | undefined; href: string | undefined; lines: DiffLine[] }) {
  const { added, removed } = countChanges(lines)
  return (
    <p className="filehead">
      <code className="grow wrap" title={path}>{href ? <a href={href}><Plain text={shortPath(path, root)} /></a> : <Plain text={shortPath(path, root)} />}</code>
      {added > 0 && <span className="small plus num">+{added}</span>}
      {removed > 0 && <span className="small minus num">−{removed}</span>}
    </p>
  )
}

function Row({ row: { line, row }, hasSides, children }: { row: DiffRow; hasSides: boolean; children: ReactNode }) {
  const { kind, old, fresh } = line
  return (
    <>
      <div className={style[kind]} style={{ gridRow: row }}>
        {kind !== "head" && <><i className="n old" data-n={old ?? ""} aria-hidden="true" /><i className="n fresh" data-n={fresh ?? ""} aria-hidden="true" /></>}
        <span className="pm" aria-hidden="true">{sign[kind]} </span>
        <span className="text">
          {kind === "add" && <span className="hear">{t("diff.added")}</span>}
          {kind === "del" && <span className="hear">{t("diff.removed")}</span>}
          {children}
        </span>
      </div>
      {/* On the new side too, for the eyes. */}
      {hasSides && kind === "same" && (
        <div className="twin" style={{ gridRow: row }} aria-hidden="true">
          <i className="n fresh" data-n={fresh ?? ""} /><span className="pm">{"  "}</span><span className="text">{children}</span>
        </div>
      )}
    </>
  )
}

/** The tones of each line, with those before and those after the change read as files of their own. */
function useSides(lines: DiffLine[], language: string | undefined): ([string, Tone][] | undefined)[] {
  const side = (other: DiffLine["kind"]) => lines.filter((line) => line.kind !== other && line.kind !== "head").map((line) => line.text).join("\n")
  const [before, after] = useMemo(() => [side("add"), side("del")], [lines])
  const [old, fresh] = [useTones(before!, language), useTones(after!, language)]
  return useMemo(() => {
    let [atOld, atFresh] = [0, 0]
    return lines.map(({ kind }) => {
      if (kind === "head") return undefined
      if (kind === "del") return old?.[atOld++]
      if (kind === "same") atOld++
      return fresh?.[atFresh++]
    })
  }, [lines, old, fresh])
}

/** A line with its tones, and with marks at the words that changed. */
function Coloured({ text, tones, words }: { text: string; tones: [string, Tone][] | undefined; words: Range[] }) {
  if (text.length > longestLine) return <Plain text={cut(text, longestLine)} />
  if (!tones && words.length === 0) return <Plain text={text} />
  const out: ReactNode[] = []
  let at = 0
  for (const [piece, tone] of tones ?? [[text, ""] as [string, Tone]]) {
    const end = at + piece.length
    const cuts = [at, ...words.flat().filter((place) => place > at && place < end), end]
    for (let index = 0; index + 1 < cuts.length; index++) {
      const [from, to] = [cuts[index]!, cuts[index + 1]!]
      const isWord = words.some(([start, stop]) => from >= start && to <= stop)
      out.push(<span key={from} className={[tone && "h" + tone, isWord && "w"].filter(Boolean).join(" ") || undefined}><Pieces text={text.slice(from, to)} /></span>)
    }
    at = end
  }
  return <bdi>{out}</bdi>
}
