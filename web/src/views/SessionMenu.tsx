import { useEffect, useRef, useState } from "react"
import { call, part } from "../api/http"
import { asApiError } from "../api/errors"
import { saveFile } from "../lib/save"
import { Fault } from "../parts/Notice"
import type { Target } from "../timeline/model"
import { explained, t, type Word } from "../words/words"

const jumps: { target: Target; before: Word; after: Word; key: string }[] = [
  { target: "error", before: "jump.error", after: "jump.errorAfter", key: "e" },
  { target: "you", before: "jump.prompt", after: "jump.promptAfter", key: "p" },
  { target: "file", before: "jump.file", after: "jump.fileAfter", key: "f" },
]

/** Where to go in the timeline, and what to take away. */
export function SessionMenu({ id, onJump }: { id: string; onJump: (target: Target, step: 1 | -1) => void }) {
  const [error, setError] = useState<string | null>(null)
  const [isCopied, setCopied] = useState(false)
  const take = (format: "jsonl" | "markdown", isShared: boolean) => {
    setError(null)
    setCopied(false)
    exportSession(id, format, isShared).then((way) => setCopied(way === "copied"), (fault: unknown) => {
      const failure = asApiError(fault)
      if (failure.code !== "AbortError") setError(failure.isMissingRoute ? t("export.none") : explained(failure))
    })
  }
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = (event: Event) => {
      const isInside = event.target instanceof Node && menu.current?.contains(event.target)
      if (menu.current?.open && !isInside) menu.current.open = false
    }
    const kinds = ["pointerdown", "keydown", "focusin"]
    for (const kind of kinds) document.addEventListener(kind, close)
    return () => kinds.forEach((kind) => document.removeEventListener(kind, close))
  }, [])
  return (
    <details ref={menu} className="menu" onKeyDown={closeOnEscape}>
      <summary className="quiet"><span className="word">{t("menu")}</span><span className="dots" aria-hidden="true">⋯</span></summary>
      <div className="sheet">
        {jumps.map(({ target, before, after, key }) => (
          <div key={target} className="pair">
            <button type="button" className="quiet grow" onClick={() => onJump(target, -1)}>
              {t(before)} <kbd aria-hidden="true">{key}</kbd>
            </button>
            <button type="button" className="quiet" aria-label={t(after)} title={t(after)} onClick={() => onJump(target, 1)}>
              <span aria-hidden="true">↓</span>
            </button>
          </div>
        ))}
        <hr />
        <button type="button" className="quiet" onClick={() => take("markdown", true)}>{t("export.share")}</button>
        <p role="status" className="small soft">{isCopied && t("export.copied")}</p>
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

async function exportSession(id: string, format: "jsonl" | "markdown", isShared: boolean): Promise<"shared" | "copied" | "saved"> {
  const answer = await call("GET", `/v1/sessions/${part(id)}/export?format=${format}`)
  const text = await answer.text()
  const name = `session-${id.slice(0, 8)}.${format === "jsonl" ? "jsonl" : "md"}`
  const file = new File([text], name, { type: format === "jsonl" ? "application/x-ndjson" : "text/markdown" })
  const data = { files: [file], title: name }
  if (isShared && "canShare" in navigator && navigator.canShare(data)) {
    await navigator.share(data)
    return "shared"
  }
  if (isShared && navigator.clipboard) {
    await navigator.clipboard.writeText(text)
    return "copied"
  }
  saveFile(file)
  return "saved"
}
