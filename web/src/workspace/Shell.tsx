import type { ReactNode } from "react"
import { useStore } from "../lib/store"
import { sessionLink } from "../lib/route"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { homeHash } from "../views/place"
import { workspaceLink, type WorkspaceView } from "./links"

interface Props {
  view: WorkspaceView
  title: string
  /** What the title belongs to, in the second line. */
  place: string
  project?: string
  /** The session from which a person came, to which the way back leads. */
  session?: string
  children?: ReactNode
}

/** The head of all views of a project, with the ways between them. */
export function Shell({ view, title, place, project, session, children }: Props) {
  const home = useStore(homeHash)
  return (
    <main className={"page workspace " + view}>
      <header className="bar">
        <a className="back" href={session ? sessionLink(session) : home} aria-label={t(session ? "workspace.back" : "back")}>
          <span aria-hidden="true">‹</span>
        </a>
        <div className="grow heading">
          <h1 className="clip"><Plain text={title} /></h1>
          <p className="clip soft small"><Plain text={place} /></p>
        </div>
        <nav className="ways" aria-label={t("workspace.views")}>
          {session && <Way to="changes" shown={view} href={workspaceLink("changes", session)} />}
          {project && <Way to="files" shown={view} href={workspaceLink("files", project, { session })} />}
          {project && <Way to="git" shown={view} href={workspaceLink("git", project, { session })} />}
        </nav>
      </header>
      {children}
    </main>
  )
}

function Way({ to, shown, href }: { to: WorkspaceView; shown: WorkspaceView; href: string }) {
  return <a href={href} aria-current={to === shown ? "page" : undefined}>{t(to)}</a>
}
