import { useLoaded } from "../../lib/load"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import { readGit, type Worktree } from "./requests"

/** The directories that share the repository, each with its branch. One alone is no news. */
export function Worktrees({ project, turn }: { project: Project; turn: number }) {
  const { value, error, again } = useLoaded(() => readGit<{ worktrees: Worktree[] }>(project.id, "worktrees"), [project.id, turn])
  if (error) return <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
  if (!value || value.worktrees.length < 2) return null
  return (
    <section className="area" aria-label={t("git.worktrees")}>
      <header className="row"><h2 className="grow small soft">{t("git.worktrees")} <span className="num">{value.worktrees.length}</span></h2></header>
      <ul>
        {value.worktrees.map((tree) => (
          <li key={tree.path} className={tree.is_current ? "changed sel" : "changed"}>
            <div className="grow padded">
              <i className={tree.is_current ? "mark work" : "mark idle"} aria-hidden="true" />
              <span className="grow">
                <span className="wrap"><Plain text={tree.path} isCommand /></span>
                <span className="soft small wrap under"><Plain text={placeOf(tree)} /></span>
              </span>
              {tree.is_current && <span className="tag">{t("git.thisOne")}</span>}
              {tree.is_locked && <span className="tag">{t("git.locked")}</span>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function placeOf(tree: Worktree): string {
  if (tree.is_bare) return t("git.bare")
  return tree.branch || t("git.detached", { sha: (tree.sha ?? "").slice(0, 7) })
}
