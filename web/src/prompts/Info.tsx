import type { Prompt } from "../api/types"
import { useStore } from "../lib/store"
import { now } from "../lib/time"
import { Plain } from "../parts/Plain"
import { useSaidBefore } from "../state/before"
import { t } from "../words/words"
import { Fallback, Life } from "./Life"
import { RuleParts } from "./RuleParts"
import { ruleOf, whyNotAlways } from "./rules"

export function InfoButton({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) {
  return (
    <button type="button" className="quiet info" aria-label={t("info")} title={t("info")} aria-expanded={isOpen} onClick={onToggle}>
      <span aria-hidden="true">i</span>
    </button>
  )
}

/** The small print of a prompt: what was said before it, the rule that it may become, until when it waits, and its life. */
export function Info({ prompt }: { prompt: Prompt }) {
  useStore(now)
  const said = useSaidBefore(prompt, true)
  return (
    <div className="stack print">
      {said && <p className="small soft">“<Plain text={said} />”</p>}
      {prompt.kind === "permission" && prompt.answerable && <div className="small soft rule"><RuleNote prompt={prompt} /></div>}
      <Fallback prompt={prompt} />
      <Life prompt={prompt} />
    </div>
  )
}

function RuleNote({ prompt }: { prompt: Prompt }) {
  const rule = ruleOf(prompt)
  const why = whyNotAlways(prompt, rule)
  if (why) return <>{t(why)}</>
  return <>{t("always.adds")}<RuleParts parts={rule?.parts ?? []} /></>
}
