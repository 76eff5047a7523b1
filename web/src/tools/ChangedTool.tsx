import { useMemo, useState } from "react"
import type { ApiError } from "../api/errors"
import { useStore } from "../lib/store"
import { Ago } from "../parts/Age"
import { Diff } from "../parts/Diff"
import { Plain } from "../parts/Plain"
import { mayControl } from "../state/me"
import { named, t } from "../words/words"
import { changeOf, rawOf } from "./change"
import { Hints } from "./Hints"
import { Raw } from "./Raw"
import { NeedsControl, Refused } from "./Refused"
import type { Definition, Tool } from "./requests"

interface Props {
  tool: Tool
  isSending: boolean
  error: ApiError | null
  onAccept: (tool: Tool, digest: string) => void
}

/** A tool of which the server says something else than what was accepted: both, and the button that accepts the new one. */
export function ChangedTool({ tool, isSending, error, onAccept }: Props) {
  const { offered } = tool
  const change = useMemo(() => offered && changeOf(tool, offered), [tool])
  if (!offered || !change) return null
  return (
    <article className="redefined" data-tool={tool.tool} aria-label={t("changed.of", { name: tool.tool })}>
      <h3 className="row wrap"><code><Plain text={tool.tool} isCommand /></code><span className="tag wait">{t("tool.changed")}</span>
        <span className="soft small"><Ago time={tool.changed_at} /></span></h3>
      {change.parts.map(({ part, lines }) => (
        <div key={part} className="stack part">
          <h4>{named("definition", part)}</h4>
          <Diff lines={lines} layout="sides" />
        </div>
      ))}
      {change.parts.length === 0 && <p className="small warn">{t("changed.unseen")}</p>}
      {change.isCut && <p className="small warn">{t("changed.cut")}</p>}
      {/* Both are shown in full, so that nothing is accepted for a part alone. */}
      <Raw title={t("changed.new")} text={rawOf(offered)} />
      <Raw title={t("changed.old")} text={rawOf(tool)} />
      <Hints annotations={offered.annotations} />
      <Refused error={error} machine={tool.machine_id ?? ""} />
      <Decision key={offered.digest} definition={offered} isWhole={change.parts.length > 0 && !change.isCut} isSending={isSending}
        onAccept={() => onAccept(tool, offered.digest)} />
    </article>
  )
}

interface DecisionProps {
  definition: Definition
  /** All that would be accepted is shown. */
  isWhole: boolean
  isSending: boolean
  onAccept: () => void
}

function Decision({ definition, isWhole, isSending, onAccept }: DecisionProps) {
  const may = useStore(mayControl)
  const [isSure, setSure] = useState(isWhole)
  if (!may) return <NeedsControl what={t("changed.needs")} />
  return (
    <>
      {!isWhole && (
        <label className="row">
          <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} />
          <span>{t("changed.sure")}</span>
        </label>
      )}
      <div className="acts">
        <button type="button" className="yes" disabled={isSending || !isSure} onClick={onAccept}>{t("changed.accept")}</button>
        <span className="soft small wrap">{t("tool.digest")} <code>{definition.digest.slice(0, 12)}</code></span>
      </div>
    </>
  )
}
