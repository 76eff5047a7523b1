import { useState, type ReactNode } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import { oneLine, visibleText } from "../../lib/visible"
import { Dialog } from "../../parts/Dialog"
import { Plain } from "../../parts/Plain"
import { say } from "../../state/toast"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import { changeGit, type Done } from "./requests"

/** A change of the repository, about which the person is asked once. */
export interface Ask {
  verb: string
  body: Record<string, unknown>
  title: string
  means?: string
  label: string
  isDanger?: boolean
  /** Taken back as easily as done: asked about the first time in a project only. */
  isSlight?: boolean
  /** Said when it is done, in place of git's own words. */
  said?: string
  done?: (answer: Done) => void
}

export interface Writer {
  ask: (ask: Ask) => void
  dialog: ReactNode
  isWriting: boolean
}

/** Projects for which the person has agreed to slight changes, as long as the page is open. */
const agreed = new Set<string>()

/** @param changed reads again what a change may have changed, also one that failed */
export function useWriter(project: Project, changed: () => void): Writer {
  const [asked, setAsked] = useState<Ask | null>(null)
  const [outcome, setOutcome] = useState<ApiError | Done | null>(null)
  const [isWriting, setWriting] = useState(false)
  const [command, setCommand] = useState("")
  const run = (ask: Ask, id: string) => {
    setWriting(true)
    setOutcome(null)
    changeGit(project.id, ask.verb, { ...ask.body, ...(id && { command_id: id }) }).then((answer) => {
      changed()
      const isDone = answer.success && !answer.push_error
      if (answer.success) ask.done?.(answer)
      if (!isDone) {
        setAsked(ask)
        return setOutcome(answer)
      }
      if (ask.isSlight) agreed.add(project.id)
      setAsked(null)
      const words = ask.said ?? answer.message
      if (words) say(oneLine(visibleText(words), 200))
    }, (fault: unknown) => {
      setAsked(ask)
      setOutcome(asApiError(fault))
      changed()
    }).finally(() => setWriting(false))
  }
  const ask = (next: Ask) => {
    // The same id at each try, so that a lost answer does nothing twice. Pages without a certificate have none.
    const id = typeof crypto.randomUUID === "function" ? crypto.randomUUID() : ""
    setCommand(id)
    setOutcome(null)
    if (next.isSlight && agreed.has(project.id)) return run(next, id)
    setAsked(next)
  }
  const close = () => {
    setAsked(null)
    setOutcome(null)
  }
  const dialog = asked && (
    <Dialog title={asked.title} onClose={close}>
      {asked.means && <p className="wrap"><Plain text={asked.means} /></p>}
      {asked.isSlight && !outcome && <p className="small soft">{t("git.onceOnly")}</p>}
      {outcome && <Outcome outcome={outcome} machine={project.machine} />}
      <div className="acts">
        {!isOver(outcome) && (
          <button type="button" className={asked.isDanger ? "danger" : "yes"} disabled={isWriting} autoFocus onClick={() => run(asked, command)}>
            {outcome ? t("try.again") : asked.label}
          </button>
        )}
        <button type="button" onClick={close}>{t(isOver(outcome) ? "close" : "cancel")}</button>
      </div>
      <p className="small soft" role="status">{isWriting && t("git.working")}</p>
    </Dialog>
  )
  return { ask, dialog, isWriting }
}

/** Whether the same once more would do no good. */
function isOver(outcome: ApiError | Done | null): boolean {
  if (!outcome) return false
  return "success" in outcome || !outcome.isPassing && outcome.code !== "repository_busy"
}

/** What went wrong, in git's own words. */
function Outcome({ outcome, machine }: { outcome: ApiError | Done; machine: string }) {
  if (!("success" in outcome)) {
    if (outcome.code === "git_failed" || outcome.code === "git_conflict") return <Words title={t(`refusal.${outcome.code}`)} text={outcome.message} />
    return <Refusal error={outcome} machine={machine} needs="git=write" />
  }
  const files = outcome.conflicted_files ?? []
  const text = [outcome.error ?? outcome.push_error ?? outcome.message ?? "", ...files].filter(Boolean).join("\n")
  return <Words title={t(files.length > 0 ? "refusal.git_conflict" : outcome.push_error ? "git.notPushed" : "refusal.git_failed")} text={text} />
}

function Words({ title, text }: { title: string; text: string }) {
  return (
    <div className="refusal" role="alert">
      <p><b>{title}</b></p>
      {text && <pre className="cmd" tabIndex={0}><Plain text={text} isCommand /></pre>}
    </div>
  )
}
