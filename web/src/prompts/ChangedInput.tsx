import { useId, useState } from "react"
import type { Prompt } from "../api/types"
import { Dialog } from "../parts/Dialog"
import { t } from "../words/words"
import type { Answering } from "./useAnswer"

interface Props {
  prompt: Prompt
  answering: Answering
  onClose: () => void
}

/** Allows the call once with another command, or with other parameters as JSON. */
export function ChangedInput({ prompt, answering, onClose }: Props) {
  const input = prompt.tool_input ?? {}
  const command = typeof input.command === "string" ? input.command : undefined
  const [text, setText] = useState(command ?? JSON.stringify(input, null, 2))
  const id = useId()
  const changed = command === undefined ? parsed(text) : text.trim() ? { ...input, command: text } : null
  const send = () => {
    if (!changed) return
    onClose()
    answering.answer({ decision: "allow", scope: "once", updated_input: changed })
  }
  return (
    <Dialog title={t("change")} onClose={onClose}>
      <p className="small soft" id={id}>{t("change.hint")}</p>
      <textarea className="code" aria-label={t(command === undefined ? "change.input" : "change.command")} aria-describedby={id} value={text}
        rows={Math.min(14, Math.max(3, text.split("\n").length))} dir="ltr" spellCheck={false}
        onChange={(event) => setText(event.target.value)} />
      {!changed && <p className="small fault" role="alert">{t(command === undefined ? "change.noObject" : "change.empty")}</p>}
      <div className="acts">
        <button type="button" className="yes" disabled={answering.isSending || !changed} onClick={send}>{t("change.allow")}</button>
        <button type="button" onClick={onClose}>{t("cancel")}</button>
      </div>
    </Dialog>
  )
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
