import { useMemo, useState } from "react"
import type { Prompt } from "../api/types"
import { Dialog } from "../parts/Dialog"
import { oneLine } from "../lib/visible"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { ruleOf } from "./rules"
import type { Answering } from "./useAnswer"

/** The two answers side by side, the rare ones below. */
export function PermissionActions({ prompt, answering }: { prompt: Prompt; answering: Answering }) {
  const [reason, setReason] = useState("")
  const [isAsking, setAsking] = useState(false)
  const { answer, isSending } = answering
  const canAllow = !prompt.content_truncated
  const deny = () => answer({ decision: "deny", ...(reason.trim() ? { message: reason.trim() } : {}) })
  const acceptsEdits = suggests(prompt, "setMode")
  const rule = useMemo(() => ruleOf(prompt), [prompt])
  return (
    <>
      {!canAllow && <p className="small fault">{t("truncated")}</p>}
      <div className="acts">
        <button type="button" className="yes" data-key="a" disabled={isSending || !canAllow}
          onClick={() => answer({ decision: "allow", scope: "once" })}>
          {t("allow.once")} <kbd aria-hidden="true">a</kbd>
        </button>
        <button type="button" data-key="d" disabled={isSending} onClick={deny}>
          {t("deny")} <kbd aria-hidden="true">d</kbd>
        </button>
      </div>
      <label className="reason">
        <span className="hear">{t("reason")}</span>
        <input type="text" value={reason} aria-label={t("reason")} placeholder={t("reason.hint")} dir="auto"
          onChange={(event) => setReason(event.target.value)} />
      </label>
      {canAllow && (
        <div className="row rare">
          <button type="button" className="quiet" disabled={isSending || !rule?.isExact}
            onClick={() => answer({ decision: "allow", scope: "session" })}>
            {t("allow.session")}
          </button>
          <button type="button" className="quiet" disabled={isSending || !rule} onClick={() => setAsking(true)}>
            {t("allow.always")}
          </button>
          {acceptsEdits && (
            <button type="button" className="quiet" disabled={isSending}
              onClick={() => answer({ decision: "allow", scope: "once", permissions: ["setMode"] })}>
              {t("allow.edits")}
            </button>
          )}
        </div>
      )}
      {canAllow && (
        <p className="small soft rule">
          {rule ? <>{t("always.adds")} <code><Plain text={oneLine(rule.text, 200)} isCommand /></code></> : t("always.none")}
        </p>
      )}
      {isAsking && rule && (
        <Dialog title={t("allow.always")} onClose={() => setAsking(false)}>
          <p>{t("always.rule")}</p>
          <pre className="cmd"><Plain text={rule.text} isCommand /></pre>
          {!rule.isExact && <p className="small">{t("always.wider")}</p>}
          <p className="small soft">{t("always.where")}</p>
          <div className="acts">
            <button type="button" className="yes" disabled={isSending} onClick={() => {
              setAsking(false)
              answer({ decision: "allow", scope: "always", ...(rule.isExact ? {} : { permissions: ["addRules"] }) })
            }}>
              {t("confirm")}
            </button>
            <button type="button" onClick={() => setAsking(false)}>{t("cancel")}</button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function suggests(prompt: Prompt, type: string): boolean {
  return (prompt.suggestions ?? []).some((one) => (one as { type?: string } | null)?.type === type)
}
