import { useState } from "react"
import type { DiffLine } from "../lib/diff"
import { cut } from "../lib/visible"
import { t } from "../words/words"
import { Masked } from "./Masked"
import { Plain } from "./Plain"

const sign = { add: "+", del: "−", same: " ", head: "" }
const style = { add: "a", del: "d", same: "s", head: "h" }
const longestLine = 2_000

/**
 * A change: inline where it is narrow, old and new side by side where it is wide.
 * @param shown how many lines at first; all of them in a prompt, since a person decides by what is there
 * @param isMasked three asterisks stand for a part that is not shown
 */
export function Diff({ lines, shown = Infinity, isMasked = false }: { lines: DiffLine[]; shown?: number; isMasked?: boolean }) {
  const [isWhole, setWhole] = useState(false)
  const visible = isWhole ? lines : lines.slice(0, shown)
  const isDecision = shown === Infinity
  const text = (line: DiffLine) => isDecision ? <Masked text={line.text} isMasked={isMasked} /> : <Plain text={cut(line.text, longestLine)} />
  // A file that is new, or gone, has one side.
  const hasSides = lines.some((line) => line.kind === "add") && lines.some((line) => line.kind === "del")
  const rows = rowsOf(visible)
  return (
    <div className="diffbox">
      <div className={hasSides ? "diff sides" : "diff"} tabIndex={0} role="group" aria-label={t("diff.label")}>
        {visible.map((line, index) => [
          <div key={index} className={style[line.kind]} style={{ gridRow: rows[index] }}>
            <span aria-hidden="true">{sign[line.kind]} </span>
            {line.kind === "add" && <span className="hear">{t("diff.added")}</span>}
            {line.kind === "del" && <span className="hear">{t("diff.removed")}</span>}
            {text(line)}
          </div>,
          // On the new side too, for the eyes.
          hasSides && line.kind === "same" && (
            <div key={index + " "} className="twin" style={{ gridRow: rows[index] }} aria-hidden="true">{"  "}{text(line)}</div>
          ),
        ])}
      </div>
      {visible.length < lines.length && (
        <button type="button" className="quiet more" onClick={() => setWhole(true)}>
          {t("more.lines", { n: lines.length - visible.length })}
        </button>
      )}
    </div>
  )
}

/** For each line its row side by side: lines that replace others stand beside them. */
function rowsOf(lines: DiffLine[]): number[] {
  const rows: number[] = []
  let next = 1
  for (let at = 0; at < lines.length;) {
    const start = at
    const count = (kind: string) => {
      const from = at
      while (lines[at]?.kind === kind) at++
      return at - from
    }
    const [removed, added] = [count("del"), count("add")]
    if (at === start) {
      rows.push(next++)
      at++
      continue
    }
    for (let row = 0; row < removed; row++) rows.push(next + row)
    for (let row = 0; row < added; row++) rows.push(next + row)
    next += Math.max(removed, added)
  }
  return rows
}
