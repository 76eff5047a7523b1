import { useMemo } from "react"
import type { Prompt } from "../api/types"
import { countChanges } from "../lib/diff"
import { Diff } from "../parts/Diff"
import { Masked } from "../parts/Masked"
import { t } from "../words/words"
import { bodyOf, isReasonGiven, otherMembers, type Body } from "./body"
import { isMaskedMember } from "./masked"
import { Members, show } from "./Members"
import { useInFile } from "./useInFile"

/** The whole of what would be done: a command or a change for the tools that have one, and every other parameter. */
export function PermissionBody({ prompt }: { prompt: Prompt }) {
  const input: unknown = prompt.tool_input
  const tool = prompt.tool_name ?? ""
  const body = useMemo(() => isRecord(input) ? bodyOf(tool, input) : { shown: [] }, [tool, input])
  if (input === undefined) return prompt.detail ? <Block text={prompt.detail} isMasked={false} /> : null
  if (!isRecord(input)) return <Block text={show(input)} isMasked={isMaskedMember(prompt, "")} />
  const isReason = isReasonGiven(tool, input)
  const others = otherMembers(input, body).filter(([name]) => !(isReason && name === "description"))
  const isMasked = body.shown.some((name) => isMaskedMember(prompt, name))
  return (
    <>
      {body.text !== undefined && <Block text={body.text} isMasked={isMasked} />}
      {body.change && <FileChange prompt={prompt} change={body.change} isMasked={isMasked} />}
      <Members prompt={prompt} members={others} />
      {Object.keys(input).length === 0 && <p className="small soft">{t("input.none")}</p>}
    </>
  )
}

function Block({ text, isMasked }: { text: string; isMasked: boolean }) {
  return <pre className="cmd" tabIndex={0}><Masked text={text} isMasked={isMasked} /></pre>
}

function FileChange({ prompt, change, isMasked }: { prompt: Prompt; change: NonNullable<Body["change"]>; isMasked: boolean }) {
  const found = useInFile(prompt, isMasked ? undefined : change.path)
  const lines = found?.isChosen && found.lines ? found.lines : change.lines
  const { added, removed } = countChanges(lines)
  return (
    <div>
      <p className="row">
        <code className="grow wrap">{found?.href ? <a href={found.href}><Masked text={change.path} isMasked={isMasked} /></a> : <Masked text={change.path} isMasked={isMasked} />}</code>
        {added > 0 && <span className="small plus">+{added}</span>}
        {removed > 0 && <span className="small minus">−{removed}</span>}
      </p>
      {found && (
        <div className="segments infile" role="group" aria-label={t("view")}>
          <button type="button" className="quiet" aria-pressed={lines === change.lines} onClick={() => found.choose(false)}>{t("infile.asked")}</button>
          <button type="button" className="quiet" aria-pressed={lines !== change.lines} disabled={!found.lines} onClick={() => found.choose(true)}>{t("infile.now")}</button>
        </div>
      )}
      {lines.length > 0 && <Diff lines={lines} isMasked={isMasked} />}
    </div>
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
