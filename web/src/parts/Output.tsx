import { useState } from "react"
import { cut, withoutColours } from "../lib/visible"
import { t } from "../words/words"
import { CopyButton } from "./Code"
import { Plain } from "./Plain"

const shownLines = 3
const shownOfFailure = 8
const longestLine = 2_000
const longestText = 200_000

/** What a tool printed: the last lines, where a result or a failure stands; the rest on demand, bounded whatever its size. */
export function Output({ text, isError = false, isWhole: isAsked = false }: { text: string; isError?: boolean; isWhole?: boolean }) {
  const [isUnfolded, setUnfolded] = useState(false)
  const isWhole = isAsked || isUnfolded
  const whole = withoutColours(text.length > longestText ? "…" + text.slice(-longestText) : text).trimEnd()
  if (!whole) return null
  const lines = whole.split("\n")
  const most = isError ? shownOfFailure : shownLines
  const hidden = isWhole || lines.length <= most + 2 ? 0 : lines.length - most
  const visible = lines.slice(hidden).map((line) => cut(line, longestLine)).join("\n")
  return (
    <div className={isError ? "output bad" : "output"}>
      {hidden > 0 && (
        <button type="button" className="quiet more" onClick={() => setUnfolded(true)}>
          {t("more.lines", { n: hidden })}
        </button>
      )}
      <div className="code">
        <pre className="cmd" tabIndex={0}><Plain text={visible} /></pre>
        {isWhole && <CopyButton text={text} />}
      </div>
    </div>
  )
}
