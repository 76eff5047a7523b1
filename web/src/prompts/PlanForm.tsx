import { useState } from "react"
import type { Prompt } from "../api/types"
import { Markdown } from "../parts/Markdown"
import { t } from "../words/words"
import { textOf } from "./describe"
import { Members } from "./Members"
import { hasMasked } from "./masked"
import { acceptsEdits } from "./rules"
import { Stop } from "./Stop"
import type { Answering } from "./useAnswer"

/** The whole plan; approve it, as it is or as one has changed it, or say what should be different. */
export function PlanForm({ prompt, answering, canAnswer }: { prompt: Prompt; answering: Answering; canAnswer: boolean }) {
  const [feedback, setFeedback] = useState("")
  const plan = prompt.plan ?? textOf(prompt.tool_input?.plan)
  /** `null`: not opened for a change. */
  const [draft, setDraft] = useState<string | null>(null)
  const { answer, isSending } = answering
  const isChanged = draft !== null && draft !== plan
  const approve = (mode: "default" | "acceptEdits") => answer({ decision: "allow", mode, ...(isChanged ? { plan: draft } : {}) })
  const canApprove = !isSending && prompt.content_truncated !== true && !hasMasked(prompt) && (draft === null || draft.trim() !== "")
  return (
    <>
      {draft === null ? <div className="plan" tabIndex={0}><Markdown text={plan || prompt.detail || t("plan.none")} /></div> : (
        <textarea className="code" aria-label={t("plan.text")} value={draft} dir="auto"
          rows={Math.min(24, Math.max(6, draft.split("\n").length + 1))} onChange={(event) => setDraft(event.target.value)} />
      )}
      <Members prompt={prompt} members={Object.entries(prompt.tool_input ?? {}).filter(([name, value]) => name !== "plan" || typeof value !== "string")} />
      {canAnswer && (
        <>
          {isChanged && <p className="small soft">{t("plan.changed")}</p>}
          <div className="acts">
            <button type="button" className="yes" data-key="a" disabled={!canApprove} onClick={() => approve("default")}>
              {t("plan.approve")} <kbd aria-hidden="true">a</kbd>
            </button>
            <button type="button" disabled={!canApprove || !acceptsEdits(prompt)} onClick={() => approve("acceptEdits")}>
              {t("plan.approveEdits")}
            </button>
          </div>
          {!acceptsEdits(prompt) && <p className="small soft">{t("plan.noEdits")}</p>}
          <textarea aria-label={t("plan.feedback")} placeholder={t("plan.feedbackHint")} value={feedback} rows={2}
            dir="auto" onChange={(event) => setFeedback(event.target.value)} />
          <div className="row rare">
            <button type="button" className="quiet" disabled={isSending || !feedback.trim()}
              onClick={() => answer({ decision: "deny", message: feedback.trim() })}>
              {t("plan.send")}
            </button>
            {plan && !hasMasked(prompt) && prompt.content_truncated !== true && (
              <button type="button" className="quiet" disabled={isSending} onClick={() => setDraft(draft === null ? plan : null)}>
                {t(draft === null ? "plan.edit" : "plan.original")}
              </button>
            )}
            <Stop answering={answering} message={feedback} />
          </div>
        </>
      )}
    </>
  )
}
