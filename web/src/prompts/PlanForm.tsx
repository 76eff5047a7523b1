import { useId, useState } from "react"
import type { Prompt } from "../api/types"
import { useDraftText } from "../state/drafts"
import { Markdown } from "../parts/Markdown"
import { t } from "../words/words"
import { textOf } from "./describe"
import { Foot, type FormPlace } from "./Foot"
import { Members } from "./Members"
import { hasMasked } from "./masked"
import { Rare } from "./Rare"
import { acceptsEdits } from "./rules"
import { Stop } from "./Stop"
import type { Answering } from "./useAnswer"

interface Props extends FormPlace {
  prompt: Prompt
  answering: Answering
  canAnswer: boolean
}

/** The whole plan; approve it, as it is or as one has changed it, or say what should be different. */
export function PlanForm({ prompt, answering, canAnswer, top, bottom }: Props) {
  const id = useId()
  const [feedback, setFeedback] = useDraftText(prompt.id)
  const plan = prompt.plan ?? textOf(prompt.tool_input?.plan)
  /** `null`: not opened for a change. */
  const [draft, setDraft] = useState<string | null>(null)
  const { answer, isSending } = answering
  const isChanged = draft !== null && draft !== plan
  const approve = (mode: "default" | "acceptEdits") => answer({ decision: "allow", mode, ...(isChanged ? { plan: draft } : {}) })
  const canApprove = !isSending && prompt.content_truncated !== true && !hasMasked(prompt) && (draft === null || draft.trim() !== "")
  const send = () => answer({ decision: "deny", message: feedback.trim() })
  return (
    <form onSubmit={(event) => {
      event.preventDefault()
      if (feedback.trim() && !isSending) send()
    }}>
      <div className="body">
        {top}
        {draft === null ? <div className="plan"><Markdown text={plan || t("plan.none")} isWhole /></div> : (
          <textarea className="code" aria-label={t("plan.text")} value={draft} dir="auto"
            rows={Math.min(24, Math.max(6, draft.split("\n").length + 1))} onChange={(event) => setDraft(event.target.value)} />
        )}
        <Members prompt={prompt} members={Object.entries(prompt.tool_input ?? {}).filter(([name, value]) => name !== "plan" || typeof value !== "string")} />
        {isChanged && <p className="small soft">{t("plan.changed")}</p>}
        {canAnswer && !plan && <p className="small warn" id={id}>{t("plan.blind")}</p>}
        {canAnswer && !acceptsEdits(prompt) && <p className="small soft">{t("plan.noEdits")}</p>}
        {bottom}
      </div>
      {canAnswer && (
        <Foot prompt={prompt} rare={
          <>
            <textarea aria-label={t("plan.feedback")} placeholder={t("plan.feedbackHint")} value={feedback} rows={1}
              dir="auto" onChange={(event) => setFeedback(event.target.value)} />
            <Rare type="submit" word="plan.send" short="plan.sendShort" disabled={isSending || !feedback.trim()} />
            {plan && !hasMasked(prompt) && prompt.content_truncated !== true && (
              <Rare word={draft === null ? "plan.edit" : "plan.original"} short={draft === null ? "plan.editShort" : "plan.originalShort"}
                disabled={isSending} onClick={() => setDraft(draft === null ? plan : null)} />
            )}
            <Stop answering={answering} message={feedback} />
          </>
        }>
          <button type="button" className="yes" data-key="a" disabled={!canApprove} aria-describedby={plan ? undefined : id}
            onClick={() => approve("default")}>
            {t("plan.approve")} <kbd aria-hidden="true">a</kbd>
          </button>
          <button type="button" disabled={!canApprove || !acceptsEdits(prompt)} onClick={() => approve("acceptEdits")}>
            {t("plan.approveEdits")}
          </button>
        </Foot>
      )}
    </form>
  )
}
