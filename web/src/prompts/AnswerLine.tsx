import type { Prompt } from "../api/types"
import { timeOfDay } from "../lib/time"
import { oneLine } from "../lib/visible"
import { useStore } from "../lib/store"
import { Plain } from "../parts/Plain"
import { sendNow, undo, type Given } from "../state/given"
import { myDevice } from "../state/me"
import { t } from "../words/words"
import { endOf, givenDecision, saidOf, whoDid, type Decision } from "./outcome"

interface Props {
  prompt: Prompt
  given: Given | undefined
}

/** One line in the place of the buttons: how the prompt was answered, and for some seconds the way back. */
export function AnswerLine({ prompt, given }: Props) {
  const here = useStore(myDevice)
  const isOpen = prompt.state === "open"
  const answer = prompt.answer
  const decision = isOpen && given ? givenDecision(prompt.kind, given.answer) : answer?.decision
  const text = isOpen && given ? whoDid(decision as Decision, { kind: "device", id: here ?? undefined }, here)
    : endOf(prompt.kind, prompt.state, answer, here)
  const said = isOpen && given ? saidOf(given.answer) : answer?.said ?? ""
  return (
    <div className="line">
      <i className={decision === "deny" ? "sign no" : "sign yes"} aria-hidden="true" />
      <p className="grow wrap" role="status">
        <b>{text}</b>
        {answer?.at && !isOpen && <span className="soft num">, {timeOfDay(answer.at)}</span>}
        {said && <>: <span className="quote">“<Plain text={oneLine(said, 400)} />”</span></>}
        <span className="soft small"> {progress(prompt, given)}</span>
      </p>
      {given?.phase === "held" && isOpen && (
        <span className="back-out">
          <button type="button" onClick={() => undo(prompt.id)}>{t("undo")}</button>
          <button type="button" onClick={() => sendNow(prompt.id)}>{t("send.now")}</button>
        </span>
      )}
    </div>
  )
}

/** Whether the answer has arrived at the session. */
function progress(prompt: Prompt, given: Given | undefined): string {
  if (prompt.state === "open") return t(given?.phase === "held" ? "life.held" : "life.sending")
  const outcome = prompt.answer?.outcome
  if (outcome === "late") return "· " + t("life.late")
  if (outcome === "applied") return "· " + t("life.applied")
  return prompt.answer?.by?.kind === "device" ? "· " + t("life.waits") : ""
}
