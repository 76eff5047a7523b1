import { sessionLink } from "../lib/route"
import { visibleText, oneLine } from "../lib/visible"
import type { Prompt } from "../api/types"
import { promptName } from "../prompts/describe"
import { sessionName } from "./names"
import { needsAnswer, prompts, promptsLoaded } from "./prompts"
import { sessions } from "./sessions"
import { followTabChoice, tabNotices } from "./tabChoice"

/** The prompts that were not there before; all that are there at first are known. */
export function freshOf<P extends { id: string }>(known: ReadonlySet<string> | null, open: readonly P[]): P[] {
  return known ? open.filter((prompt) => !known.has(prompt.id)) : []
}

let isStarted = false

export function startTabNotices(): void {
  if (isStarted) return
  isStarted = true
  let known: Set<string> | null = null
  const look = () => {
    if (!promptsLoaded.get()) return
    const open = [...prompts.get().values()].filter(needsAnswer)
    for (const prompt of freshOf(known, open)) void tell(prompt)
    known = new Set([...(known ?? []), ...open.map((prompt) => prompt.id)])
  }
  prompts.watch(look)
  look()
  followTabChoice()
}

/** A tab that is looked at is the first to take the prompt, so that no other tab tells of it. */
const patienceMilliseconds = 300
const heldMilliseconds = 3_000

async function tell(prompt: Prompt): Promise<void> {
  const isLooked = document.visibilityState === "visible" && document.hasFocus()
  if (!isLooked) await pause(patienceMilliseconds)
  if (!(await isFirst(prompt.id)) || isLooked) return
  const { isShown, isHeard } = tabNotices.get()
  if (isHeard) sound()
  if (isShown && !(await isPushed())) show(prompt)
}

/** Whether no other tab of this browser has taken the prompt. Without locks each tab tells of it; the notices replace each other. */
function isFirst(id: string): Promise<boolean> {
  if (!navigator.locks) return Promise.resolve(true)
  return new Promise((settled) => {
    void navigator.locks.request("monitor-notice " + id, { ifAvailable: true }, async (lock) => {
      settled(lock !== null)
      if (lock) await pause(heldMilliseconds)
    })
  })
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds))
}

/** Whether the browser gets a push for it, which its worker shows. */
async function isPushed(): Promise<boolean> {
  const registration = await navigator.serviceWorker?.getRegistration()
  return Boolean(await registration?.pushManager?.getSubscription())
}

function show(prompt: Prompt): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return
  const session = sessions.get().get(prompt.session_id)
  const title = session ? oneLine(visibleText(sessionName(session)), 80) : prompt.session_id
  try {
    const notice = new Notification(title, { body: oneLine(visibleText(promptName(prompt)), 160), tag: prompt.id })
    notice.onclick = () => {
      window.focus()
      location.hash = sessionLink(prompt.session_id)
      notice.close()
    }
  } catch {
    // Browsers on phones show notices of workers only, which need pushes.
  }
}

/** Two short tones. Before the first tap or key, browsers play none. */
export function sound(): void {
  const audio = new AudioContext()
  const [volume, from] = [audio.createGain(), audio.currentTime]
  volume.gain.value = 0.08
  volume.connect(audio.destination)
  for (const [index, pitch] of [660, 880].entries()) {
    const tone = audio.createOscillator()
    tone.frequency.value = pitch
    tone.connect(volume)
    tone.start(from + index * 0.14)
    tone.stop(from + index * 0.14 + 0.12)
    if (index === 1) tone.onended = () => void audio.close()
  }
}
