import { lazy, Suspense, useEffect, useState, type Component } from "react"
import { go, route, type Route } from "../lib/route"
import { useStore } from "../lib/store"
import { useSwipe } from "../lib/swipe"
import { starting } from "../drive/starting"
import { asked } from "../state/change"
import { Boundary } from "../parts/Boundary"
import { Skeleton } from "../parts/Notice"
import { Announce } from "./Announce"
import { ConnectionLine } from "./Connection"
import { Leave } from "./Leave"
import { ListPane } from "./ListPane"
import { useListKeys } from "./ListKeys"
import { Overview } from "./Overview"
import { homeHash } from "./place"
import { PromptRoute } from "./PromptRoute"
import { SessionView } from "./SessionView"
import { Tabs } from "./Tabs"
import { ToastLine } from "./Toast"
import { useWide } from "./useWide"
import { t } from "../words/words"

// The first view does not wait for these. The service worker keeps their script beside the others.
const others = () => import("./others")
const AllSessions = later(async () => (await others()).AllSessions)
const Figures = later(async () => (await others()).Figures)
const Search = later(async () => (await others()).Search)
const Palette = later(async () => (await others()).Palette)
const Settings = later(async () => (await settings()).Settings)
const Help = later(async () => (await others()).Help)
const SessionDialogs = later(async () => (await others()).SessionDialogs)
const NewSession = later(async () => (await others()).NewSession)
const Files = later(async () => (await workspace()).Files)
const Git = later(async () => (await workspace()).Git)
const Changes = later(async () => (await workspace()).Changes)
const Projects = later(async () => (await places()).Projects)
const Tools = later(async () => (await places()).Tools)
const ServerView = later(async () => (await places()).ServerView)
const Calls = later(async () => (await places()).Calls)
const SessionTools = later(async () => (await places()).SessionTools)
const ProjectView = later(async () => (await places()).ProjectView)

/** The views of files and Git have words of their own. */
async function workspace() {
  const views = await import("../workspace/views")
  await views.loadWorkspaceWords()
  return views
}

/** So have the settings. */
async function settings() {
  const views = await others()
  await views.loadSettingsWords()
  return views
}

/** So have those of projects and tools. */
async function places() {
  const views = await import("./places")
  await views.loadPlaceWords()
  return views
}

/** One shell for all views: navigation, list and detail keep their places. On a phone, either the list or the detail is in view. */
export function App() {
  const current = useStore(route)
  const [isHelping, setHelping] = useState(false)
  const isWide = useWide()
  const [isFinding, setFinding] = useState(false)
  useListKeys(() => setHelping(true))
  usePaletteKey(() => setFinding((is) => !is))
  const isHome = current.view === "home"
  const isStarting = useStore(starting) !== null
  const isChanging = useStore(asked) !== null
  // On a phone a finger that is drawn to the right leads back to the list, as does the button.
  const swipe = useSwipe(current.view === "session" && !isWide ? (step) => step < 0 && go(homeHash.get()) : undefined)
  return (
    <div className={"app " + current.view}>
      <ConnectionLine />
      <Announce />
      <Tabs view={current.view} />
      <Boundary of="list">
        <ListPane view={current.view} selected={current.view === "session" || current.view === "changes" ? current.id : undefined} isAlone={!isWide} />
      </Boundary>
      {(!isHome || isWide) && (
        <div className="detail" {...swipe}>
          <Boundary of={JSON.stringify(current)}><Suspense key={current.view} fallback={<main className="page"><Skeleton label={t("reading")} /></main>}><View route={current} /></Suspense></Boundary>
        </div>
      )}
      {isChanging && <Boundary of="change"><Suspense><SessionDialogs /></Suspense></Boundary>}
      {isStarting && <Boundary of="start"><Suspense><NewSession /></Suspense></Boundary>}
      <Leave />
      <ToastLine />
      {isFinding && <Suspense><Palette onClose={() => setFinding(false)} onHelp={() => setHelping(true)} /></Suspense>}
      {isHelping && <Suspense><Help onClose={() => setHelping(false)} /></Suspense>}
    </div>
  )
}

function View({ route: current }: { route: Route }) {
  switch (current.view) {
    case "session":
      return <SessionView id={current.id} promptID={current.prompt} at={current.at} />
    case "prompt":
      return <PromptRoute key={current.id} id={current.id} />
    case "sessions":
      return <AllSessions query={current.query} />
    case "figures":
      return <Figures days={current.days} />
    case "search":
      return <Search asked={current} />
    case "files":
      return <Files id={current.id} query={current.query} />
    case "git":
      return <Git id={current.id} query={current.query} />
    case "changes":
      return <Changes id={current.id} query={current.query} />
    case "projects":
      return current.id ? <ProjectView key={current.id} id={current.id} /> : <Projects />
    case "tools":
      return <ToolView id={current.id} query={current.query} />
    case "settings":
      return <Settings page={current.page} />
    default:
      return <Overview />
  }
}

const ofSession = "session/"

/** `#/tools/` with the id of a server, `calls`, or a session. */
function ToolView({ id, query }: { id: string; query: string }) {
  if (id === "") return <Tools query={query} />
  if (id === "calls") return <Calls query={query} />
  if (id.startsWith(ofSession)) return <SessionTools key={id} id={id.slice(ofSession.length)} />
  return <ServerView key={id} id={id} query={query} />
}

/** Ctrl+K, or Command+K, wherever the focus is. */
function usePaletteKey(toggle: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return
      if (document.querySelector("dialog[open]:not(.palette)")) return
      event.preventDefault()
      toggle()
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [])
}

function later<P>(load: () => Promise<Component<P>>): Component<P> {
  return lazy(async () => ({ default: await load() }))
}
