import { useState } from "react"
import type { DiffLine } from "../lib/diff"
import { cut } from "../lib/visible"
import { t } from "../words/words"
import { Plain } from "./Plain"

const sign = { add: "+", del: "−", same: " ", head: "" }
const style = { add: "a", del: "d", same: "", head: "h" }
const longestLine = 2_000

/** @param shown how many lines at first; all of them in a prompt, since a person decides by what is there */
export function Diff({ lines, shown = Infinity }: { lines: DiffLine[]; shown?: number }) {
  const [isWhole, setWhole] = useState(false)
  const visible = isWhole ? lines : lines.slice(0, shown)
  return (
    <div className="diff" tabIndex={0} role="group" aria-label={t("diff.label")}>
      {visible.map((line, index) => (
        <div key={index} className={style[line.kind]}>
          <span aria-hidden="true">{sign[line.kind]} </span>
          {line.kind === "add" && <span className="hear">{t("diff.added")}</span>}
          {line.kind === "del" && <span className="hear">{t("diff.removed")}</span>}
          <Plain text={shown === Infinity ? line.text : cut(line.text, longestLine)} isCommand={shown === Infinity} />
        </div>
      ))}
      {visible.length < lines.length && (
        <button type="button" className="quiet more" onClick={() => setWhole(true)}>
          {t("more.lines", { n: lines.length - visible.length })}
        </button>
      )}
    </div>
  )
}
