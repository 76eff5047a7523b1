import { useState } from "react"
import type { Prompt } from "../api/types"
import { Running } from "../parts/Age"
import { Plain } from "../parts/Plain"
import { me } from "../state/me"
import { named, t } from "../words/words"
import { askedBy, promptHead, promptReason } from "./describe"
import { Alike } from "./Alike"
import { AskedAgain } from "./AskedAgain"
import { ElicitationForm } from "./ElicitationForm"
import { Info, InfoButton } from "./Info"
import { hasMasked, withRevealed } from "./masked"
import { NotHere } from "./NotHere"
import { PermissionForm } from "./PermissionForm"
import { PlanForm } from "./PlanForm"
import { QuestionForm } from "./QuestionForm"
import { Reveal } from "./Reveal"
import type { Answering } from "./useAnswer"

interface Props {
  prompt: Prompt
  answering: Answering
  mayAnswer: boolean
  isInside: boolean
  /** False once it is answered: it can be read, and nothing of it acts. */
  isAsking: boolean
  /** Not shown, but what was typed is kept. */
  isHidden: boolean
  isInformed: boolean
  /** Absent: the small print is always shown. */
  onInform: (() => void) | undefined
}

/** What is asked, and the bar with the answers at its foot. */
export function Asking({ prompt: sent, answering, mayAnswer, isInside, isAsking, isHidden, isInformed, onInform }: Props) {
  const [revealed, setRevealed] = useState<Prompt | null>(null)
  const prompt = withRevealed(sent, revealed)
  const canAnswer = prompt.answerable === true && mayAnswer
  const isMasked = (prompt.kind === "permission" || prompt.kind === "plan") && hasMasked(prompt)
  const by = askedBy(prompt)
  const top = (
    <>
      <Title prompt={prompt} isInside={isInside} isInformed={isInformed} onInform={onInform} />
      {by && <p className="note small"><Plain text={by} /></p>}
    </>
  )
  const bottom = (
    <>
      {isMasked && canAnswer && <Reveal prompt={prompt} onRevealed={setRevealed} />}
      {prompt.kind === "permission" && isAsking && canAnswer && <AskedAgain prompt={sent} />}
      {prompt.kind === "permission" && isAsking && canAnswer && !isHidden && <Alike prompt={sent} />}
      {isInformed && <Info prompt={prompt} />}
      {!mayAnswer ? <p className="small soft">{t("mayNot.respond", { id: me.get()?.id ?? "ID" })}</p>
        : !canAnswer && <NotHere prompt={prompt} />}
    </>
  )
  const form = { prompt, answering, canAnswer, top, bottom }
  return (
    <div className="asking" hidden={isHidden} inert={isAsking ? undefined : ""}>
      {prompt.kind === "permission" && <PermissionForm {...form} />}
      {prompt.kind === "plan" && <PlanForm {...form} />}
      {prompt.kind === "question" && <QuestionForm {...form} />}
      {prompt.kind === "elicitation" && <ElicitationForm {...form} />}
    </div>
  )
}

function Title({ prompt, isInside, isInformed, onInform }: { prompt: Prompt; isInside: boolean; isInformed: boolean; onInform: (() => void) | undefined }) {
  if (prompt.kind === "question" && !isInside) return null
  return (
    <div className="row title">
      <b><Plain text={promptHead(prompt)} /></b>
      <span className="soft small grow clip"><Plain text={promptReason(prompt)} /></span>
      {prompt.risk && prompt.kind === "permission" && <span className={"risk " + prompt.risk}>{named("risk", prompt.risk)}</span>}
      {isInside && <Running since={prompt.opened_at} className="soft num small" />}
      {isInside && onInform && <InfoButton isOpen={isInformed} onToggle={onInform} />}
    </div>
  )
}
