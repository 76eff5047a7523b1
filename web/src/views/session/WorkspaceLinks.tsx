import type { Session } from "../../api/types"
import { useWorkspace } from "../../state/workspace"
import { t } from "../../words/words"

/** To the changes of a session, and to the files and the repository of its project, where its machine has an agent. */
export function WorkspaceLinks({ session }: { session: Session }) {
  const isAny = useWorkspace(session.machine_name)
  const project = session.project_id ?? session.workspace_id
  if (!isAny || !project) return null
  const id = encodeURIComponent(session.id)
  const from = `${encodeURIComponent(project)}?session=${id}`
  return (
    <nav className="ways" aria-label={t("by.project")}>
      <a href={`#/changes/${id}`}>{t("changes")}</a>
      <a href={`#/files/${from}`}>{t("files")}</a>
      <a href={`#/git/${from}`}>{t("git")}</a>
      {session.runner === "agent" && <a href={`#/tools/session/${id}`}>{t("tools")}</a>}
    </nav>
  )
}
