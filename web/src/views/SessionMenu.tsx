import { useState } from "react"
import { call, part } from "../api/http"
import { asApiError } from "../api/errors"
import { saveFile } from "../lib/save"
import { Fault } from "../parts/Notice"
import type { Target } from "../timeline/Timeline"
import { t } from "../words/words"

/** Where to go in the timeline, and what to take away. */
export function SessionMenu({ id, onJump }: { id: string; onJump: (target: Target) => void }) {
  const [error, setError] = useState<string | null>(null)
  const take = (format: "jsonl" | "markdown", isShared: boolean) => {
    setError(null)
    exportSession(id, format, isShared).catch((fault: unknown) => {
      const failure = asApiError(fault)
      if (failure.code !== "AbortError") setError(failure.isMissingRoute ? t("export.none") : failure.message)
    })
  }
  return (
    <details className="menu" onKeyDown={closeOnEscape}>
      <summary className="quiet">{t("menu")}</summary>
      <div className="sheet">
        <button type="button" className="quiet" onClick={() => onJump("error")}>{t("jump.error")} <kbd aria-hidden="true">e</kbd></button>
        <button type="button" className="quiet" onClick={() => onJump("you")}>{t("jump.prompt")} <kbd aria-hidden="true">p</kbd></button>
        <button type="button" className="quiet" onClick={() => onJump("file")}>{t("jump.file")} <kbd aria-hidden="true">f</kbd></button>
        <hr />
        <button type="button" className="quiet" onClick={() => take("markdown", true)}>{t("export.share")}</button>
        <button type="button" className="quiet" onClick={() => take("markdown", false)}>{t("export.markdown")}</button>
        <button type="button" className="quiet" onClick={() => take("jsonl", false)}>{t("export.jsonl")}</button>
        <Fault error={error} />
      </div>
    </details>
  )
}

function closeOnEscape(event: KeyboardEvent & { currentTarget: HTMLDetailsElement }): void {
  if (event.key !== "Escape" || !event.currentTarget.open) return
  event.preventDefault()
  event.currentTarget.open = false
}

async function exportSession(id: string, format: "jsonl" | "markdown", isShared: boolean): Promise<void> {
  const answer = await call("GET", `/v1/sessions/${part(id)}/export?format=${format}`)
  const text = await answer.text()
  const name = `session-${id.slice(0, 8)}.${format === "jsonl" ? "jsonl" : "md"}`
  const file = new File([text], name, { type: format === "jsonl" ? "application/x-ndjson" : "text/markdown" })
  const data = { files: [file], title: name }
  if (isShared && "canShare" in navigator && navigator.canShare(data)) return navigator.share(data)
  if (isShared && navigator.clipboard) return navigator.clipboard.writeText(text)
  saveFile(file)
}
