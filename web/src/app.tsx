import { createRoot } from "react-dom/client"
import { ApiError } from "./api/errors"
import { startRouting } from "./lib/route"
import { startClock } from "./lib/time"
import { lastHeard, startLive, connection } from "./live/live"
import { applyTheme } from "./settings/theme"
import { startInstall } from "./state/install"
import { startMachines } from "./state/machines"
import { loadMe } from "./state/me"
import { showLastKnown, startOffline } from "./state/offline"
import { startPresence } from "./state/presence"
import { startPrompts } from "./state/prompts"
import { startRates } from "./state/rates"
import { startSeen } from "./state/seen"
import { loadSessions, sessionsLoaded, startSessions } from "./state/sessions"
import { startToday } from "./state/today"
import { startWorker } from "./state/worker"
import { App } from "./views/App"
import { Welcome } from "./views/Welcome"
import { loadWords, t } from "./words/words"

const root = createRoot(document.getElementById("root") as HTMLElement)

async function main(): Promise<void> {
  applyTheme()
  await loadWords()
  document.title = t("app")
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
  startLive()
  root.render(<App />)
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
