import { useState } from "react"
import type { Prompt } from "../api/types"
import { Dialog } from "../parts/Dialog"
import { t } from "../words/words"
import { RuleParts } from "./RuleParts"
import { partOf, permissionsOf, type Rule } from "./rules"
import type { Answering } from "./useAnswer"

interface Props {
  prompt: Prompt
  rule: Rule
  answering: Answering
  onClose: () => void
}

/** Shows the rule that would be added, and lets a person write it otherwise where it is one for this tool. */
export function AlwaysAllow({ prompt, rule, answering, onClose }: Props) {
  const [content, setContent] = useState(rule.content)
  const isChanged = content !== undefined && content.trim() !== rule.content
  // Claude Code's machine refuses a rule for all calls of a tool.
  const isEmpty = content !== undefined && /^[\s*:]*$/.test(content)
  const confirm = () => {
    onClose()
    answering.answer({ decision: "allow", scope: "always", ...permissionsOf(prompt, rule, content) })
  }
  return (
    <Dialog title={t("allow.always")} onClose={onClose}>
      <p>{t("always.rule")}</p>
      <RuleParts parts={isChanged ? [partOf(prompt.tool_name ?? "", content.trim())] : rule.parts} />
      {content !== undefined && (
        <label className="field"><span className="small">{t("always.edit", { tool: prompt.tool_name ?? "" })}</span>
          <input type="text" value={content} dir="ltr" spellCheck={false} maxLength={4096}
            onChange={(event) => setContent(event.target.value)} />
        </label>
      )}
      {isChanged ? <p className="small">{t("always.edited")}</p> : !rule.isExact && <p className="small">{t("always.wider")}</p>}
      <p className="small soft">{t("always.where")}</p>
      <div className="acts">
        <button type="button" className="yes" disabled={answering.isSending || isEmpty} onClick={confirm}>{t("confirm")}</button>
        <button type="button" onClick={onClose}>{t("cancel")}</button>
      </div>
    </Dialog>
  )
}
