import { useMemo, useState } from "react"
import type { Prompt } from "../api/types"
import { oneLine } from "../lib/visible"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { AlwaysAllow } from "./AlwaysAllow"
import { ChangedInput, canChange } from "./ChangedInput"
import { hasMasked } from "./masked"
import { Stop } from "./Stop"
import { ruleOf, suggestsEdits, type Rule } from "./rules"
import type { Answering } from "./useAnswer"

/** The two answers side by side, the rare ones below. */
export function PermissionActions({ prompt, answering }: { prompt: Prompt; answering: Answering }) {
  const [reason, setReason] = useState("")
  const [open, setOpen] = useState<"always" | "change" | null>(null)
  const { answer, isSending } = answering
  const canAllow = !prompt.content_truncated && !hasMasked(prompt)
  const why = reason.trim() ? { message: reason.trim() } : {}
  const rule = useMemo(() => ruleOf(prompt), [prompt])
  const always = whyNotAlways(prompt, rule)
  return (
    <>
      {prompt.content_truncated && <p className="small fault">{t("truncated")}</p>}
      <div className="acts">
        <button type="button" className="yes" data-key="a" disabled={isSending || !canAllow}
          onClick={() => answer({ decision: "allow", scope: "once" })}>
          {t("allow.once")} <kbd aria-hidden="true">a</kbd>
        </button>
        <button type="button" data-key="d" disabled={isSending} onClick={() => answer({ decision: "deny", ...why })}>
          {t("deny")} <kbd aria-hidden="true">d</kbd>
        </button>
      </div>
      <label className="reason">
        <span className="hear">{t("reason")}</span>
        <input type="text" value={reason} aria-label={t("reason")} placeholder={t("reason.hint")} dir="auto"
          onChange={(event) => setReason(event.target.value)} />
      </label>
      <div className="row rare">
        {canAllow && (
          <>
            <button type="button" className="quiet" disabled={isSending || !rule?.isExact}
              onClick={() => answer({ decision: "allow", scope: "session" })}>
              {t("allow.session")}
            </button>
            <button type="button" className="quiet" disabled={isSending || always !== null} onClick={() => setOpen("always")}>
              {t("allow.always")}
            </button>
            {suggestsEdits(prompt) && (
              <button type="button" className="quiet" disabled={isSending}
                onClick={() => answer({ decision: "allow", scope: "once", permissions: ["setMode"] })}>
                {t("allow.edits")}
              </button>
            )}
            {canChange(prompt) && (
              <button type="button" className="quiet" disabled={isSending} onClick={() => setOpen("change")}>{t("change")}</button>
            )}
          </>
        )}
        <Stop answering={answering} message={reason} />
      </div>
      {canAllow && <p className="small soft rule">{always ?? <Adds rule={rule} />}</p>}
      {open === "always" && rule && <AlwaysAllow prompt={prompt} rule={rule} answering={answering} onClose={() => setOpen(null)} />}
      {open === "change" && <ChangedInput prompt={prompt} answering={answering} onClose={() => setOpen(null)} />}
    </>
  )
}

function Adds({ rule }: { rule: Rule | null }) {
  return <>{t("always.adds")} <code><Plain text={oneLine(rule?.text ?? "", 200)} isCommand /></code></>
}

/** Why no rule for ever can be added; `null` if one can. */
function whyNotAlways(prompt: Prompt, rule: Rule | null): string | null {
  if (!rule) return t("always.none")
  return prompt.always_allowed === false ? t("always.machine") : null
}
