import { useState } from "react"
import { Figures } from "../figures/Figures"
import { route, type Route } from "../lib/route"
import { useStore } from "../lib/store"
import { Settings } from "../settings/Settings"
import { Announce } from "./Announce"
import { ConnectionLine } from "./Connection"
import { Help } from "./Help"
import { Home } from "./Home"
import { useListKeys } from "./ListKeys"
import { PromptRoute } from "./PromptRoute"
import { Search } from "./Search"
import { SessionView } from "./SessionView"
import { Tabs } from "./Tabs"

export function App() {
  const current = useStore(route)
  const [isHelping, setHelping] = useState(false)
  useListKeys(() => setHelping(true))
  return (
    <div className={"app " + current.view}>
      <ConnectionLine />
      <Announce />
      <View route={current} />
      <Tabs view={current.view} />
      {isHelping && <Help onClose={() => setHelping(false)} />}
    </div>
  )
}

function View({ route: current }: { route: Route }) {
  switch (current.view) {
    case "session":
      return <SessionView id={current.id} promptID={current.prompt} at={current.at} />
    case "prompt":
      return <PromptRoute key={current.id} id={current.id} />
    case "figures":
      return <Figures />
    case "search":
      return <Search query={current.query} kind={current.kind} />
    case "settings":
      return <Settings page={current.page} />
    default:
      return <Home />
  }
}
