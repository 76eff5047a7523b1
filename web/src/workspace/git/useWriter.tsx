import { useRef, useState, type ReactNode } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import { oneLine, visibleText } from "../../lib/visible"
import { Dialog } from "../../parts/Dialog"
import { Plain } from "../../parts/Plain"
import { say } from "../../state/toast"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Need } from "../useAllowed"
import type { Project } from "../useProject"
import { changeGit, type Done } from "./requests"

/** A change of the repository, about which the person is asked once. */
export interface Ask {
  verb: string
  body: Record<string, unknown>
  title: string
  means?: string
  label: string
  /** The word of the machine's file, if it is another than `git=write`. */
  needs?: Need
  isDanger?: boolean
  /** Taken back as easily as done: asked about the first time in a project only. */
  isSlight?: boolean
  /** Said when it is done, in place of git's own words. */
  said?: string
  done?: (answer: Done) => void
  /** A second question, which is offered if git refused with such words. */
  otherwise?: { refused: RegExp; ask: Ask }
}

export interface Writer {
  ask: (ask: Ask) => void
  dialog: ReactNode
  isWriting: boolean
}

/** Projects for which the person has agreed to slight changes, as long as the page is open. */
const agreed = new Set<string>()

/**
 * @param changed reads again what a change may have changed, also one that failed
 * @param toConflicts leads to the files in conflict
 */
export function useWriter(project: Project, changed: () => void, toConflicts: string): Writer {
  const [asked, setAsked] = useState<Ask | null>(null)
  const [outcome, setOutcome] = useState<ApiError | Done | null>(null)
  const [isWriting, setWriting] = useState(false)
  const [command, setCommand] = useState("")
  const isBusy = useRef(false)
  const run = (ask: Ask, id: string) => {
    isBusy.current = true
    setWriting(true)
    setOutcome(null)
    changeGit(project.id, ask.verb, { ...ask.body, ...(id && { command_id: id }) }).then((answer) => {
      changed()
      const isDone = answer.success && !answer.push_error && !answer.fetch_error
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
    }).finally(() => {
      isBusy.current = false
      setWriting(false)
    })
  }
  const ask = (next: Ask) => {
    // One question at a time: an answer that comes late belongs to the question that is shown.
    if (isBusy.current) return say(t("git.working"))
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
      {outcome && <Outcome outcome={outcome} machine={project.machine} needs={asked.needs ?? "git=write"} />}
      <div className="acts">
        {!isOver(outcome) && (
          <button type="button" className={asked.isDanger ? "danger" : "yes"} disabled={isWriting} autoFocus onClick={() => run(asked, command)}>
            {outcome ? t("try.again") : asked.label}
          </button>
        )}
        {asked.otherwise && isRefusal(outcome, asked.otherwise.refused) && (
          <button type="button" className="danger" onClick={() => ask(asked.otherwise!.ask)}>{asked.otherwise.ask.label}…</button>
        )}
        {outcome && "success" in outcome && (outcome.conflicted_files ?? []).length > 0 && (
          <a className="button" href={toConflicts} onClick={close}>{t("git.toConflicts")}</a>
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

function isRefusal(outcome: ApiError | Done | null, words: RegExp): boolean {
  return outcome !== null && !("success" in outcome) && outcome.code === "git_failed" && words.test(outcome.message)
}

/** What went wrong, in git's own words. */
function Outcome({ outcome, machine, needs }: { outcome: ApiError | Done; machine: string; needs: Need }) {
  if (!("success" in outcome)) {
    if (outcome.code === "git_failed" || outcome.code === "git_conflict") return <Words title={t(`refusal.${outcome.code}`)} text={outcome.message} />
    return <Refusal error={outcome} machine={machine} needs={needs} />
  }
  const files = outcome.conflicted_files ?? []
  // Where files are in conflict, git's own words are the message.
  const words = (files.length > 0 ? outcome.message : undefined) ?? outcome.error ?? outcome.push_error ?? outcome.fetch_error ?? outcome.message ?? ""
  const text = [words, ...files.filter((file) => !words.includes(file))].filter(Boolean).join("\n")
  const title = files.length > 0 ? "refusal.git_conflict" : outcome.push_error ? "git.notPushed" : outcome.fetch_error ? "git.notFetched" : "refusal.git_failed"
  return <Words title={t(title)} text={text} />
}

function Words({ title, text }: { title: string; text: string }) {
  return (
    <div className="refusal" role="alert">
      <p><b>{title}</b></p>
      {text && <pre className="cmd" tabIndex={0}><Plain text={text} isCommand /></pre>}
    </div>
  )
}
