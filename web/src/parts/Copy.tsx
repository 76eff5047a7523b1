import { useState } from "react"
import { t } from "../words/words"

/** A command to run elsewhere, with a button that copies it. */
export function Command({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(() => setCopied(true))
  }
  return (
    <div className="copy">
      <code tabIndex={0}>{text}</code>
      {navigator.clipboard && <button type="button" className="quiet" onClick={copy}>
        {isCopied ? t("copied") : t("copy")}
      </button>}
    </div>
  )
}
