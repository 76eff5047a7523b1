import { createRoot } from "react-dom/client"
import { ApiError } from "./api/errors"
import { startRouting } from "./lib/route"
import { startClock } from "./lib/time"
import { lastHeard, startLive, connection } from "./live/live"
import { applyTheme } from "./settings/theme"
import { activities, startActivities } from "./state/activities"
import { startGiven } from "./state/given"
import { startInstall } from "./state/install"
import { startMachines } from "./state/machines"
import { loadMe, loadMeLater } from "./state/me"
import { forgetShown, knownAt, showLastKnown, startOffline } from "./state/offline"
import { startPresence } from "./state/presence"
import { prompts, startPrompts } from "./state/prompts"
import { startRates } from "./state/rates"
import { startSeen } from "./state/seen"
import { loadSessions, sessions, sessionsLoaded, startSessions } from "./state/sessions"
import { hasTabNotices } from "./state/tabChoice"
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
  startClock()
  startRouting()
  // What this browser knew last stands there at once.
  const isKnown = showLastKnown()
  if (isKnown) root.render(<App />)
  void loadSessions()
  try {
    await loadMe()
  } catch (fault) {
    if (fault instanceof ApiError && fault.status === 401) {
      forgetShown()
      sessions.set(new Map())
      return root.render(<Welcome />)
    }
    openOffline()
  }
  start()
  if (!isKnown) root.render(<App />)
}

function start(): void {
  startSeen()
  startSessions()
  startActivities()
  startPrompts()
  startMachines()
  startToday()
  startRates()
  startOffline()
  startPresence()
  startGiven()
  startTitle()
  // Loaded only where a person has chosen it.
  if (hasTabNotices()) void import("./views/others").then(({ startTabNotices }) => startTabNotices())
  connection.watch(() => {
    if (connection.get() === "signed-out") leave()
  })
  startLive()
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
  if (knownAt.get() !== null) {
    lastHeard.set(knownAt.get() ?? 0)
    sessionsLoaded.set(true)
  }
  connection.set("lost")
  const stop = connection.watch(() => {
    if (connection.get() !== "open") return
    stop()
    void loadSessions()
    loadMeLater()
  })
}

void main()
