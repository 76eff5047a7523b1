import { useEffect, useRef } from "react"
import type { Prompt, Session } from "../api/types"
import { useStore } from "../lib/store"
import { sessionLink } from "../lib/route"
import { Running } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { mayRespond, me } from "../state/me"
import { markSeen } from "../state/prompts"
import { sessionName } from "../state/groups"
import { named, t } from "../words/words"
import { promptName, promptReason } from "./describe"
import { ElicitationForm } from "./ElicitationForm"
import { Fallback, Life } from "./Life"
import { PermissionActions } from "./PermissionActions"
import { PermissionBody } from "./PermissionBody"
import { PlanForm } from "./PlanForm"
import { QuestionForm } from "./QuestionForm"
import { useAnswer } from "./useAnswer"

/** A prompt with everything that a decision takes; the same wherever it is shown. */
export function PromptCard({ prompt, session }: { prompt: Prompt; session: Session | undefined }) {
  const answering = useAnswer(prompt)
  const mayAnswer = useStore(mayRespond)
  const isOpen = prompt.state === "open"
  const canAnswer = isOpen && prompt.answerable === true && mayAnswer
  const card = useSeen(prompt)
  const where = session ? sessionName(session) : prompt.session_id
  return (
    <article ref={card} className={isOpen ? "card wait" : "card over"} aria-label={promptName(prompt)} id={prompt.id}
      data-prompt={prompt.id} tabIndex={-1}>
      <header>
        <Mark kind={isOpen ? "wait" : "done"} />
        <a className="grow clip" href={sessionLink(prompt.session_id)}>
          <b><Plain text={where} /></b>{" "}
          <span className="soft">{t("on.machine", { machine: prompt.machine_name ?? prompt.machine_id ?? "" })}</span>
        </a>
        {isOpen && <Running since={prompt.opened_at} className="soft num small" />}
      </header>
      <div className="body">
        <Title prompt={prompt} />
        {prompt.kind === "permission" && <PermissionBody prompt={prompt} />}
        {prompt.kind === "plan" && <PlanForm prompt={prompt} answering={answering} canAnswer={canAnswer} />}
        {prompt.kind === "permission" && canAnswer && <PermissionActions prompt={prompt} answering={answering} />}
        {prompt.kind === "question" && (canAnswer ? <QuestionForm prompt={prompt} answering={answering} />
          : <Asked prompt={prompt} />)}
        {prompt.kind === "elicitation" && (canAnswer ? <ElicitationForm prompt={prompt} answering={answering} />
          : <p><Plain text={prompt.question ?? prompt.detail ?? ""} /></p>)}
        <Fault error={answering.error} />
        {isOpen && !mayAnswer && <p className="small soft">{t("mayNot.respond", { id: me.get()?.id ?? "ID" })}</p>}
        <Fallback prompt={prompt} />
        <Life prompt={prompt} />
      </div>
    </article>
  )
}

function Title({ prompt }: { prompt: Prompt }) {
  if (prompt.kind === "question") return null
  const reason = promptReason(prompt)
  const tool = prompt.kind === "plan" ? t("plan") : prompt.tool_name ?? t("form")
  return (
    <div className="row top">
      <b><Plain text={tool} /></b>
      <span className="soft small grow wrap"><Plain text={reason} /></span>
      {prompt.risk && <span className={"risk " + prompt.risk}>{named("risk", prompt.risk)}</span>}
    </div>
  )
}

/** Questions that cannot be answered here. */
function Asked({ prompt }: { prompt: Prompt }) {
  const questions = prompt.questions ?? []
  if (questions.length === 0) return <b><Plain text={prompt.question ?? prompt.detail ?? prompt.title ?? ""} /></b>
  return (
    <>
      {questions.map((one) => (
        <div key={one.question}>
          <b><Plain text={one.question} /></b>
          <p className="small soft"><Plain text={(one.options ?? []).map((option) => option.label).join(" · ")} /></p>
        </div>
      ))}
    </>
  )
}

/** Tells the server when the card has been on the screen. */
function useSeen(prompt: Prompt) {
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = card.current
    if (!element || prompt.state !== "open") return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && document.visibilityState === "visible") markSeen(prompt)
    }, { threshold: 0.5 })
    observer.observe(element)
    return () => observer.disconnect()
  }, [prompt.id, prompt.state])
  return card
}
