import { useEffect, useState } from "react"
import { t } from "../words/words"
import { languageOf, useTones } from "./highlight"
import { Pieces, Plain } from "./Plain"

interface Props {
  text: string
  language?: string
  /** What its author wrote beside it, which begins with the language. */
  info?: string
}

/** Code with a button that copies it, in colours where its language is known. */
export function Code({ text, language = "", info = "" }: Props) {
  const lines = useTones(text, languageOf(language))
  return (
    <div className="code">
      {info !== language && <p className="small soft wrap"><Plain text={info} isCommand /></p>}
      <pre className="cmd" tabIndex={0}>
        {lines ? <bdi dir="ltr">{lines.map((line, index) => [
          index > 0 && "\n", ...line.map(([piece, tone], at) => <span key={`${index} ${at}`} className={tone && "h" + tone}><Pieces text={piece} /></span>),
        ])}</bdi> : <Plain text={text} isCommand />}
      </pre>
      <CopyButton text={text} />
    </div>
  )
}

const shownMilliseconds = 2_000

/** Copies a text as it is. Pages without a certificate may not. */
export function CopyButton({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = window.setTimeout(() => setCopied(false), shownMilliseconds)
    return () => clearTimeout(timer)
  }, [isCopied])
  if (!navigator.clipboard) return null
  return (
    <button type="button" className="quiet copier" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true), () => undefined)}>
      {t(isCopied ? "copied" : "copy")}
    </button>
  )
}
