import { useState } from "react"
import type { Prompt } from "../api/types"
import { Markdown } from "../parts/Markdown"
import { t } from "../words/words"
import { textOf } from "./describe"
import type { Answering } from "./useAnswer"

/** The whole plan; approve it, or say what should be different. */
export function PlanForm({ prompt, answering, canAnswer }: { prompt: Prompt; answering: Answering; canAnswer: boolean }) {
  const [feedback, setFeedback] = useState("")
  const { answer, isSending } = answering
  const plan = prompt.plan ?? textOf(prompt.tool_input?.plan)
  return (
    <>
      <div className="plan" tabIndex={0}><Markdown text={plan || prompt.detail || t("plan.none")} /></div>
      {canAnswer && (
        <>
          <div className="acts">
            <button type="button" className="yes" data-key="a" disabled={isSending || prompt.content_truncated === true}
              onClick={() => answer({ decision: "allow", mode: "default" })}>
              {t("plan.approve")}
            </button>
            <button type="button" disabled={isSending || prompt.content_truncated === true}
              onClick={() => answer({ decision: "allow", mode: "acceptEdits" })}>
              {t("plan.approveEdits")}
            </button>
          </div>
          <textarea aria-label={t("plan.feedback")} placeholder={t("plan.feedbackHint")} value={feedback} rows={2}
            dir="auto" onChange={(event) => setFeedback(event.target.value)} />
          <button type="button" disabled={isSending || !feedback.trim()}
            onClick={() => answer({ decision: "deny", message: feedback.trim() })}>
            {t("plan.send")}
          </button>
        </>
      )}
    </>
  )
}
