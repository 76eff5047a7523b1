import { useEffect, useLayoutEffect, useRef, useState, type Ref } from "react"
import type { Prompt, Session } from "../api/types"
import { useStore } from "../lib/store"
import { sessionLink } from "../lib/route"
import { visibleText } from "../lib/visible"
import { Running } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { mayRespond, me } from "../state/me"
import { markSeen } from "../state/prompts"
import { sessionName } from "../state/groups"
import { named, t } from "../words/words"
import { promptLine, promptName, promptReason } from "./describe"
import { ElicitationForm } from "./ElicitationForm"
import { Fallback, Life } from "./Life"
import { hasMasked, withRevealed } from "./masked"
import { PermissionActions } from "./PermissionActions"
import { PermissionBody } from "./PermissionBody"
import { PlanForm } from "./PlanForm"
import { QuestionForm } from "./QuestionForm"
import { Reveal } from "./Reveal"
import { useAnswer, type Answering } from "./useAnswer"

interface Props {
  prompt: Prompt
  session: Session | undefined
  /** Beside what names the session already. */
  isInside?: boolean
}

/** A prompt with everything that a decision takes, the same wherever it is shown; once it is over, what became of it. */
export function PromptCard({ prompt, session, isInside = false }: Props) {
  const answering = useAnswer(prompt)
  const mayAnswer = useStore(mayRespond)
  const isOpen = prompt.state === "open"
  const card = useSeen(prompt)
  useHeight(card, isOpen)
  return (
    <article ref={card} className={isOpen ? "card wait" : "card over"} aria-label={visibleText(promptName(prompt))} id={prompt.id}
      data-prompt={prompt.id} tabIndex={-1}>
      {!isInside && <Head prompt={prompt} session={session} />}
      <div className="body">
        {isOpen ? <Asking prompt={prompt} answering={answering} mayAnswer={mayAnswer} isInside={isInside} /> : <Over prompt={prompt} />}
        <Fault error={answering.error} />
        <Fallback prompt={prompt} />
        <Life prompt={prompt} />
      </div>
    </article>
  )
}

function Head({ prompt, session }: { prompt: Prompt; session: Session | undefined }) {
  const machine = prompt.machine_name ?? prompt.machine_id
  return (
    <header>
      <Mark kind={prompt.state === "open" ? "wait" : "done"} />
      <a className="grow clip" href={sessionLink(prompt.session_id)}>
        <b><Plain text={session ? sessionName(session) : prompt.session_id} /></b>
        {machine && <span className="soft"> {t("on")} <Plain text={machine} /></span>}
      </a>
      {prompt.state === "open" && <Running since={prompt.opened_at} className="soft num small" />}
    </header>
  )
}

/** What was asked, in one line. */
function Over({ prompt }: { prompt: Prompt }) {
  const head = prompt.kind === "question" ? t("question") : prompt.kind === "plan" ? t("plan") : prompt.tool_name ?? t("form")
  const line = promptLine(prompt)
  return <p className="clip"><b><Plain text={head} /></b>{line !== head && <> <span className="soft"><Plain text={line} /></span></>}</p>
}

interface AskingProps {
  prompt: Prompt
  answering: Answering
  mayAnswer: boolean
  isInside: boolean
}

function Asking({ prompt: sent, answering, mayAnswer, isInside }: AskingProps) {
  const [revealed, setRevealed] = useState<Prompt | null>(null)
  const prompt = withRevealed(sent, revealed)
  const canAnswer = prompt.answerable === true && mayAnswer
  const isHidden = (prompt.kind === "permission" || prompt.kind === "plan") && hasMasked(prompt)
  return (
    <>
      <Title prompt={prompt} isInside={isInside} />
      {prompt.kind === "permission" && <PermissionBody prompt={prompt} />}
      {isHidden && canAnswer && <Reveal prompt={prompt} onRevealed={setRevealed} />}
      {prompt.kind === "plan" && <PlanForm prompt={prompt} answering={answering} canAnswer={canAnswer} />}
      {prompt.kind === "permission" && canAnswer && <PermissionActions prompt={prompt} answering={answering} />}
      {prompt.kind === "question" && (canAnswer ? <QuestionForm prompt={prompt} answering={answering} />
        : <Asked prompt={prompt} />)}
      {prompt.kind === "elicitation" && (canAnswer ? <ElicitationForm prompt={prompt} answering={answering} />
        : <p className="wrap"><Plain text={[prompt.question ?? prompt.detail, prompt.url].filter(Boolean).join(" ")} isCommand /></p>)}
      {!mayAnswer && <p className="small soft">{t("mayNot.respond", { id: me.get()?.id ?? "ID" })}</p>}
    </>
  )
}

function Title({ prompt, isInside }: { prompt: Prompt; isInside: boolean }) {
  const age = isInside && <Running since={prompt.opened_at} className="soft num small" />
  if (prompt.kind === "question") return isInside ? <div className="row"><span className="grow soft small">{t("question")}</span>{age}</div> : null
  const reason = promptReason(prompt)
  const tool = prompt.kind === "plan" ? t("plan") : prompt.tool_name ?? t("form")
  return (
    <div className="row top">
      <b><Plain text={tool} /></b>
      <span className="soft small grow wrap"><Plain text={reason} /></span>
      {prompt.risk && <span className={"risk " + prompt.risk}>{named("risk", prompt.risk)}</span>}
      {age}
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

/** An answered card keeps its height while a person works beside it: the next one must not come under the finger. */
function useHeight(card: Ref<HTMLElement>, isOpen: boolean): void {
  useLayoutEffect(() => {
    if (isOpen) card.current?.style.setProperty("--was", card.current.getBoundingClientRect().height + "px")
  })
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
