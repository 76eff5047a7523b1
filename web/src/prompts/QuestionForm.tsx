import { useId } from "react"
import type { Prompt, Question } from "../api/types"
import { useKeptState } from "../lib/keptState"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { Foot, type FormPlace } from "./Foot"
import { Stop } from "./Stop"
import type { Answering } from "./useAnswer"

interface Choice {
  labels: string[]
  other: string
  /** What the person adds to the answer; `null`: not opened. */
  note: string | null
}

const nothing: Choice = { labels: [], other: "", note: null }

interface Props extends FormPlace {
  prompt: Prompt
  answering: Answering
  canAnswer: boolean
}

/** One or several questions, each with options, or any other answer in words. */
export function QuestionForm({ prompt, answering, canAnswer, top, bottom }: Props) {
  const questions = prompt.questions ?? []
  const [choices, setChoices] = useKeptState<Record<string, Choice>>("choices " + prompt.id, () => ({}))
  const choiceOf = (question: Question) => choices[question.question] ?? nothing
  const isReady = questions.length > 0 && questions.every((one) => isAnswered(choiceOf(one)))
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isReady || answering.isSending) return
    const answers: Record<string, string | string[]> = {}
    for (const one of questions) answers[one.question] = answerOf(one, choiceOf(one))
    const notes = Object.fromEntries(questions.map((one) => [one.question, choiceOf(one).note?.trim() ?? ""] as const).filter(([, note]) => note))
    answering.answer({ answers, ...(Object.keys(notes).length > 0 ? { notes } : {}) })
  }
  return (
    <form onSubmit={submit}>
      <div className="body">
        {top}
        {canAnswer ? questions.map((question) => (
          <QuestionField key={question.question} question={question} choice={choiceOf(question)}
            onChange={(choice) => setChoices((all) => ({ ...all, [question.question]: choice }))} />
        )) : questions.map((question) => <Asked key={question.question} question={question} />)}
        {questions.length === 0 && <p className="soft"><Plain text={prompt.question ?? prompt.detail ?? prompt.title ?? ""} /></p>}
        {bottom}
      </div>
      {canAnswer && (
        <Foot prompt={prompt} rare={<Stop answering={answering} />}>
          <button type="submit" className="yes" disabled={!isReady || answering.isSending}>{t("question.send")}</button>
          <button type="button" disabled={answering.isSending} onClick={() => answering.answer({ decision: "deny" })}>
            {t("question.skip")}
          </button>
        </Foot>
      )}
    </form>
  )
}

/** A question that cannot be answered here. */
function Asked({ question }: { question: Question }) {
  return (
    <div>
      <b><Plain text={question.question} /></b>
      <p className="small soft"><Plain text={(question.options ?? []).map((option) => option.label).join(" · ")} /></p>
    </div>
  )
}

function isAnswered(choice: Choice): boolean {
  return choice.labels.length > 0 || choice.other.trim() !== ""
}

function answerOf(question: Question, choice: Choice): string | string[] {
  const other = choice.other.trim()
  if (!question.multiSelect) return other || (choice.labels[0] ?? "")
  return other ? [...choice.labels, other] : choice.labels
}

interface FieldProps {
  question: Question
  choice: Choice
  onChange: (choice: Choice) => void
}

function QuestionField({ question, choice, onChange }: FieldProps) {
  const id = useId()
  const isMany = question.multiSelect === true
  const toggle = (label: string) => {
    if (!isMany) return onChange({ ...choice, labels: [label], other: "" })
    const has = choice.labels.includes(label)
    onChange({ ...choice, labels: has ? choice.labels.filter((one) => one !== label) : [...choice.labels, label] })
  }
  return (
    <fieldset>
      <legend>
        {question.header && <span className="tag"><Plain text={question.header} /></span>}
        <b><Plain text={question.question} /></b>
        {isMany && <span className="small soft"> {t("question.many")}</span>}
      </legend>
      {(question.options ?? []).map((option, index) => (
        <label key={option.label} className="opt">
          <input type={isMany ? "checkbox" : "radio"} name={id} checked={choice.labels.includes(option.label)}
            aria-label={option.label} aria-describedby={option.description ? `${id}-${index}` : undefined}
            onChange={() => toggle(option.label)} />
          <span>
            <b><Plain text={option.label} /></b>
            {option.description && (
              <span className="small soft under" id={`${id}-${index}`}><Plain text={option.description} /></span>
            )}
          </span>
        </label>
      ))}
      <input type="text" aria-label={t("question.other")} placeholder={t("question.otherHint")} value={choice.other}
        dir="auto"
        onChange={(event) =>
          onChange({ ...choice, labels: isMany || !event.target.value ? choice.labels : [], other: event.target.value })} />
      {choice.note === null ? (
        <button type="button" className="quiet more" onClick={() => onChange({ ...choice, note: "" })}>{t("question.addNote")}</button>
      ) : (
        <textarea rows={2} aria-label={t("question.note")} placeholder={t("question.noteHint")} value={choice.note} dir="auto"
          onChange={(event) => onChange({ ...choice, note: event.target.value })} />
      )}
    </fieldset>
  )
}
