import { useEffect, useLayoutEffect, useRef, useState, type Ref } from "react"
import type { Prompt, Session } from "../api/types"
import { useStore } from "../lib/store"
import { useSwipe } from "../lib/swipe"
import { oneLine, visibleText } from "../lib/visible"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { useSaidBefore } from "../state/before"
import { placeOf, sessionName } from "../state/names"
import { mayRespond } from "../state/me"
import { markSeen } from "../state/prompts"
import { t } from "../words/words"
import { useWide } from "../views/useWide"
import { AnswerLine } from "./AnswerLine"
import { Asking } from "./Asking"
import { promptHead, promptLine, promptName } from "./describe"
import { CardHead } from "./CardHead"
import { undoMilliseconds } from "./undo"
import { useAnswer } from "./useAnswer"
import { useNew } from "./useNew"

interface Props {
  prompt: Prompt
  session: Session | undefined
  /** Beside what names the session already. */
  isInside?: boolean
  /** Nothing stands beside it that could move, so that an answer folds it at once. */
  isAlone?: boolean
  /** It is the one that is open in the list: where there is room, its body stands beside the list. */
  isPlaced?: boolean
  /** An answered card keeps its size as long as a person works beside it. */
  keepsPlace?: boolean
  /** Shown in two lines, with a button that opens it. */
  onShow?: () => void
  /** To the one before or after it, as a finger is drawn to the side. */
  onStep?: (step: 1 | -1) => void
  /** After an answer: opens the next one. */
  onNext?: () => void
}

/** A prompt with everything that a decision takes, the same wherever it is shown; once it is answered, one line that says how. */
export function PromptCard(props: Props) {
  const { prompt, session, isInside = false, isAlone = false, isPlaced = false, keepsPlace = false, onShow, onStep, onNext } = props
  const answering = useAnswer(prompt)
  const mayAnswer = useStore(mayRespond)
  const [isInformed, setInformed] = useState(false)
  // Who may only read sees no buttons at all.
  const inform = mayAnswer ? () => setInformed(!isInformed) : undefined
  const isOpen = prompt.state === "open"
  const isAsking = isOpen && !answering.isSending
  const Place = useIsArticle(prompt, isAsking) ? "article" : "div"
  const asked = useRef<Prompt | null>(null)
  if (isOpen) asked.current = prompt
  const card = useRef<HTMLElement>(null)
  useSeen(card, prompt, onShow === undefined)
  const height = useHeight(card, isAsking)
  useFocus(card, isAsking)
  const isApart = useWide() && isPlaced
  const isNew = useNew(isAsking && onShow === undefined)
  const swipe = useSwipe(onShow ? undefined : onStep)
  // A card that is answered while it is folded, as one of several, has no body to keep.
  const wasFolded = useRef(false)
  if (isAsking) wasFolded.current = onShow !== undefined
  const hasBody = asked.current !== null && !isAlone && !wasFolded.current && (isOpen || keepsPlace)
  const common = {
    ...swipe, onKeyDown: openOnEnter, ref: card as Ref<HTMLDivElement>, id: prompt.id, "data-prompt": prompt.id, tabIndex: -1,
    "data-new": (isAsking && onShow === undefined && isNew) || undefined,
    "aria-label": Place === "article" ? visibleText(promptName(prompt)) : undefined,
    style: hasBody && !isAsking ? { blockSize: `${height.current}px` } : undefined,
  }
  if (isAsking && onShow) return <article {...common} className="card wait folded"><Folded {...props} onShow={onShow} /></article>
  const name = (isAsking ? "card wait" : hasBody ? "card over keeps" : "card over") + (isPlaced ? " placed" : "")
  const line = isAsking ? null : (
    <>
      <AnswerLine prompt={prompt} given={answering.given} />
      {onNext && answering.given?.phase !== "held" && <button type="button" onClick={onNext}>{t("prompt.next")}</button>}
    </>
  )
  return (
    <Place {...common} className={name}>
      {!isInside && (isAsking || hasBody) && (
        <CardHead prompt={prompt} session={session} isInformed={isInformed} isApart={isApart} onInform={isAsking ? inform : undefined} />
      )}
      <div className="inside">
        {isApart && <About prompt={prompt} session={session} />}
        {!isAsking && !hasBody && <Asked prompt={prompt} session={isInside ? undefined : session} />}
        {asked.current && (isOpen || hasBody) && (
          <Asking prompt={asked.current} answering={isNew ? { ...answering, isSending: true } : answering} mayAnswer={mayAnswer} isInside={isInside} isAsking={isAsking}
            isHidden={!isAsking && isAlone} isInformed={isInformed || !mayAnswer} onInform={inform} />
        )}
        {line && <div className="foot">{line}</div>}
        <Fault error={answering.error} />
      </div>
    </Place>
  )
}

/** Above the body where that stands away from its head: the name and the place once more, for the eye alone, and what was said before. */
function About({ prompt, session }: { prompt: Prompt; session: Session | undefined }) {
  const said = useSaidBefore(prompt, true)
  return (
    <div className="apart">
      <i data-text={visibleText(oneLine(session ? sessionName(session) : prompt.session_id, 120))} />
      {session && <i className="soft small" data-text={visibleText(placeOf(session))} />}
      {said && <p className="quoted"><Plain text={said} /></p>}
    </div>
  )
}

/** Shows the prompt that has the focus; where it is shown whole already, opens its session. */
function openOnEnter(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (event.key !== "Enter" || event.target !== event.currentTarget) return
  event.preventDefault()
  const inside = (what: string) => event.currentTarget.querySelector<HTMLElement>(what)
  const target = inside("button.show") ?? inside("header a")
  target?.click()
}

/** The session, and what it asks, in two lines. */
function Folded({ prompt, session, isInside, onShow }: Props & { onShow: () => void }) {
  return (
    <CardHead prompt={prompt} session={session} isInside={isInside}>
      <button type="button" className="show" onClick={onShow}>{t("prompt.show")}</button>
    </CardHead>
  )
}

/** What was asked, in one line. */
function Asked({ prompt, session }: { prompt: Prompt; session: Session | undefined }) {
  const [head, line] = [promptHead(prompt), promptLine(prompt)]
  return (
    <p className="asked clip small">
      {session && <><b><Plain text={sessionName(session)} /></b> </>}
      <Plain text={head} />{line !== head && <> <span className="soft"><Plain text={line} /></span></>}
    </p>
  )
}

/** Some seconds after its answer, what remains of a card is a line and no article. */
function useIsArticle(prompt: Prompt, isAsking: boolean): boolean {
  const answeredAt = Date.parse(prompt.answer?.at ?? "")
  const [isOld, setOld] = useState(() => prompt.state !== "open" && Date.now() - answeredAt > undoMilliseconds)
  useEffect(() => {
    if (isAsking) return setOld(false)
    const timer = window.setTimeout(() => setOld(true), undoMilliseconds)
    return () => clearTimeout(timer)
  }, [isAsking])
  return isAsking || !isOld
}

/** The height before the answer, which the card keeps where it keeps its place. */
function useHeight(card: Ref<HTMLElement>, isAsking: boolean): Ref<number> {
  const height = useRef(0)
  useLayoutEffect(() => {
    if (isAsking && card.current) height.current = card.current.getBoundingClientRect().height
  })
  return height
}

/** The buttons go with the answer; the focus stays on the card, so that keys go on from there. */
function useFocus(card: Ref<HTMLElement>, isAsking: boolean): void {
  const had = useRef(false)
  useLayoutEffect(() => {
    if (!isAsking && had.current && !card.current?.contains(document.activeElement)) card.current?.focus({ preventScroll: true })
    const watch = () => {
      had.current = Boolean(card.current?.contains(document.activeElement))
    }
    watch()
    document.addEventListener("focusin", watch)
    return () => document.removeEventListener("focusin", watch)
  }, [isAsking])
}

/** Whether half of a card is in view, or a card fills half of the view. */
function fillsView({ intersectionRatio, intersectionRect, rootBounds }: IntersectionObserverEntry): boolean {
  return intersectionRatio >= 0.5 || (rootBounds !== null && intersectionRect.height >= rootBounds.height / 2)
}

/** Tells the server when the prompt has been on the screen. */
function useSeen(card: Ref<HTMLElement>, prompt: Prompt, isWhole: boolean): void {
  useEffect(() => {
    const element = card.current
    if (!element || prompt.state !== "open" || !isWhole) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(fillsView) && document.visibilityState === "visible") markSeen(prompt)
    }, { threshold: [0.1, 0.2, 0.3, 0.4, 0.5] })
    observer.observe(element)
    return () => observer.disconnect()
  }, [prompt.id, prompt.state, isWhole])
}

