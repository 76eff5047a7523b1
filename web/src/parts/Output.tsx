import { useState } from "react"
import { cut, withoutColours } from "../lib/visible"
import { t } from "../words/words"
import { Plain } from "./Plain"

const firstLines = 6
const longestLine = 2_000
const longestText = 200_000

/** What a tool printed: the first lines, the rest on demand, bounded whatever its size. */
export function Output({ text, isError = false }: { text: string; isError?: boolean }) {
  const [isWhole, setWhole] = useState(false)
  const whole = withoutColours(cut(text, longestText)).replace(/\s+$/, "")
  if (!whole) return null
  const lines = whole.split("\n")
  const isFolded = !isWhole && lines.length > firstLines + 2
  const visible = (isFolded ? lines.slice(0, firstLines) : lines).map((line) => cut(line, longestLine)).join("\n")
  return (
    <div className={isError ? "output bad" : "output"}>
      <pre className="cmd" tabIndex={0}><Plain text={visible} /></pre>
      {isFolded && (
        <button type="button" className="quiet more" onClick={() => setWhole(true)}>
          {t("more.lines", { n: lines.length - firstLines })}
        </button>
      )}
    </div>
  )
}
