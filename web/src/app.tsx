import { createRoot } from "react-dom/client"
import { ApiError } from "./api/errors"
import { startRouting } from "./lib/route"
import { startClock } from "./lib/time"
import { lastHeard, startLive, connection } from "./live/live"
import { applyTheme } from "./settings/theme"
import { startGiven } from "./state/given"
import { startInstall } from "./state/install"
import { startMachines } from "./state/machines"
import { loadMe } from "./state/me"
import { forgetShown, showLastKnown, startOffline } from "./state/offline"
import { startPresence } from "./state/presence"
import { prompts, startPrompts } from "./state/prompts"
import { startRates } from "./state/rates"
import { startSeen } from "./state/seen"
import { activities, loadSessions, sessions, sessionsLoaded, startSessions } from "./state/sessions"
import { startTitle } from "./state/title"
import { startToday } from "./state/today"
import { startWorker } from "./state/worker"
import { App } from "./views/App"
import { SignedOut } from "./views/SignedOut"
import { Welcome } from "./views/Welcome"
import { loadWords } from "./words/words"

const root = createRoot(document.getElementById("root") as HTMLElement)

async function main(): Promise<void> {
  applyTheme()
  await loadWords()
  startWorker()
  startInstall()
  // What is shown first is asked for beside the rest, not after it.
  void loadSessions()
  try {
    await loadMe()
  } catch (fault) {
    if (fault instanceof ApiError && fault.status === 401) return root.render(<Welcome />)
    openOffline()
  }
  startClock()
  startRouting()
  startSeen()
  startSessions()
  startPrompts()
  startMachines()
  startToday()
  startRates()
  startOffline()
  startPresence()
  startGiven()
  startTitle()
  connection.watch(() => {
    if (connection.get() === "signed-out") leave()
  })
  startLive()
  root.render(<App />)
}

/** A browser that was signed out shows and keeps nothing of what it knew. */
function leave(): void {
  forgetShown()
  sessions.set(new Map())
  prompts.set(new Map())
  activities.set(new Map())
  root.render(<SignedOut />)
}

/** Without the server: what was last known, and its age. */
function openOffline(): void {
  const at = showLastKnown()
  if (at !== null) {
    lastHeard.set(at)
    sessionsLoaded.set(true)
  }
  connection.set("lost")
  const stop = connection.watch(() => {
    if (connection.get() !== "open") return
    stop()
    loadMe().catch(() => undefined)
  })
}

void main()
