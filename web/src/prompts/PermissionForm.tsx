import { lazy, Suspense, useMemo, useState } from "react"
import { useDraftText } from "../state/drafts"
import type { Prompt } from "../api/types"
import { t } from "../words/words"
import { Foot, type FormPlace } from "./Foot"
import { hasMasked } from "./masked"
import { PermissionBody } from "./PermissionBody"
import { Rare } from "./Rare"
import { Stop } from "./Stop"
import { canChange, ruleOf, suggestsEdits, whyNotAlways, type Rule } from "./rules"
import type { Answering } from "./useAnswer"

const AlwaysAllow = lazy(async () => ({ default: (await import("../views/others")).AlwaysAllow }))
const ChangedInput = lazy(async () => ({ default: (await import("../views/others")).ChangedInput }))

interface Props extends FormPlace {
  prompt: Prompt
  answering: Answering
  canAnswer: boolean
}

/** The call, and below it the two answers side by side; the rare ones above them. Enter in the reason denies. */
export function PermissionForm({ prompt, answering, canAnswer, top, bottom }: Props) {
  const [reason, setReason] = useDraftText(prompt.id)
  const { answer, isSending } = answering
  const canAllow = !prompt.content_truncated && !hasMasked(prompt)
  const deny = () => answer({ decision: "deny", ...(reason.trim() ? { message: reason.trim() } : {}) })
  const submit = (event: Event) => {
    event.preventDefault()
    if (reason.trim() && !isSending) deny()
  }
  return (
    <form onSubmit={submit}>
      <div className="body">
        {top}
        <PermissionBody prompt={prompt} />
        {canAnswer && prompt.content_truncated && <p className="small fault">{t("truncated")}</p>}
        {bottom}
      </div>
      {canAnswer && (
        <Foot prompt={prompt} rare={
          <>
            <input type="text" value={reason} aria-label={t("reason")} placeholder={t("reason.hint")} dir="auto" enterKeyHint="send"
              onChange={(event) => setReason(event.target.value)} />
            {canAllow && <Wider prompt={prompt} answering={answering} />}
            <Stop answering={answering} message={reason} />
          </>
        }>
          <button type="button" className="yes" data-key="a" disabled={isSending || !canAllow}
            onClick={() => answer({ decision: "allow", scope: "once" })}>
            {t("allow.once")} <kbd aria-hidden="true">a</kbd>
          </button>
          <button type="button" data-key="d" disabled={isSending} onClick={deny}>
            {t("deny")} <kbd aria-hidden="true">d</kbd>
          </button>
        </Foot>
      )}
    </form>
  )
}

/** Answers that allow more than this call, or another one. */
function Wider({ prompt, answering }: { prompt: Prompt; answering: Answering }) {
  const [open, setOpen] = useState<"always" | "change" | null>(null)
  const rule: Rule | null = useMemo(() => ruleOf(prompt), [prompt])
  const { answer, isSending } = answering
  const why = whyNotAlways(prompt, rule)
  return (
    <>
      <Rare word="allow.session" short="allow.sessionShort" disabled={isSending || !rule?.isExact} title={rule?.isExact ? undefined : t("always.none")}
        onClick={() => answer({ decision: "allow", scope: "session" })} />
      <Rare word="allow.always" short="allow.alwaysShort" disabled={isSending || why !== null} title={why ? t(why) : undefined}
        onClick={() => setOpen("always")} />
      {suggestsEdits(prompt) && (
        <Rare word="allow.edits" short="allow.editsShort" disabled={isSending}
          onClick={() => answer({ decision: "allow", scope: "once", permissions: ["setMode"] })} />
      )}
      {canChange(prompt) && (
        <button type="button" className="quiet" disabled={isSending} onClick={() => setOpen("change")}>{t("change")}</button>
      )}
      {open === "always" && rule && <Suspense><AlwaysAllow prompt={prompt} rule={rule} answering={answering} onClose={() => setOpen(null)} /></Suspense>}
      {open === "change" && <Suspense><ChangedInput prompt={prompt} answering={answering} onClose={() => setOpen(null)} /></Suspense>}
    </>
  )
}
