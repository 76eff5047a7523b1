import { useStore } from "../../lib/store"
import { Command } from "../../parts/Copy"
import { Fault, Skeleton } from "../../parts/Notice"
import { mayControl, myDevice } from "../../state/me"
import { projectLabel } from "../../state/names"
import { useTitle } from "../../state/title"
import { t } from "../../words/words"
import { workspaceLink } from "../links"
import { NoAgent } from "../NoAgent"
import { Shell } from "../Shell"
import { useProject, type Project } from "../useProject"
import { gitAddress, gitQuery, tabs, type GitAddress } from "./address"
import { BranchesTab } from "./BranchesTab"
import { LogTab } from "./LogTab"
import { RemotesTab } from "./RemotesTab"
import { StashTab } from "./StashTab"
import { StatusTab } from "./StatusTab"
import { useRepository } from "./useRepository"
import { useWriter } from "./useWriter"

/** The repository of a project: what has changed, the history, branches, what was put aside, and remotes. */
export function Git({ id, query }: { id: string; query: string }) {
  const { project, error, again } = useProject(id)
  const address = gitAddress(query)
  const name = projectLabel(project?.path) || t("git")
  useTitle(project ? `${name} · ${t("git")}` : t("git"))
  return (
    <Shell view="git" title={name} place={project?.machine ?? ""} project={id} session={address.session}>
      <Fault what={t("unread.project")} error={error} again={again} />
      {!project && !error && <Skeleton label={t("reading")} />}
      {project && (project.machine && project.path ? <NoAgent machine={project.machine}><Opened key={id} project={project} address={address} /></NoAgent>
        : <p className="empty soft">{t("workspace.nowhere")}</p>)}
    </Shell>
  )
}

function Opened({ project, address }: { project: Project; address: GitAddress }) {
  const repository = useRepository(project)
  const { status, error, turn, changed } = repository
  const link = (next: Partial<GitAddress>) => workspaceLink("git", project.id, gitQuery({ session: address.session, ...next }))
  const writer = useWriter(project, changed, link({}))
  const may = useStore(mayControl)
  const isAbsent = error?.code === "not_a_git_repo"
  const own = may && status?.is_trusted !== false ? writer : null
  const common = { project, address, turn, linkOf: link }
  if (isAbsent) {
    return (
      <div className="empty">
        <p className="soft">{t("git.none")}</p>
        {may && <button type="button" onClick={() => writer.ask({ verb: "init", body: {}, title: t("git.init.title"), means: t("git.init.means"), label: t("git.init") })}>{t("git.init")}</button>}
        {writer.dialog}
      </div>
    )
  }
  return (
    <>
      <nav className="pages" aria-label={t("git.parts")}>
        {tabs.map((tab) => <a key={tab} href={link({ tab })} aria-current={tab === address.tab ? "page" : undefined}>{t(`git.tab.${tab}`)}</a>)}
      </nav>
      {status && <Rights may={may} isTrusted={status.is_trusted} />}
      {address.tab === "status" && <StatusTab {...common} repository={repository} writer={own} />}
      {address.tab === "log" && <LogTab {...common} />}
      {address.tab === "branches" && <BranchesTab {...common} writer={own} />}
      {address.tab === "stash" && <StashTab {...common} writer={own} />}
      {address.tab === "remotes" && <RemotesTab {...common} writer={own} />}
      {writer.dialog}
    </>
  )
}

/** Why nothing can be changed here. */
function Rights({ may, isTrusted }: { may: boolean; isTrusted: boolean }) {
  const device = useStore(myDevice)
  if (!isTrusted) return <p className="small soft note-line">{t("git.untrusted")}</p>
  if (may) return null
  return (
    <details className="note-line small soft">
      <summary>{t("git.readOnly")}</summary>
      <Command text={`monitorctl device grant ${device ?? "ID"} control`} />
    </details>
  )
}
