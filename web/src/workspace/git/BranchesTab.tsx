import { useState } from "react"
import { useLoaded } from "../../lib/load"
import { visibleText } from "../../lib/visible"
import { Skeleton } from "../../parts/Notice"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import type { GitAddress } from "./address"
import { BranchRow } from "./BranchRow"
import { readGit, type Branch, type Branches } from "./requests"
import type { Writer } from "./useWriter"
import { Worktrees } from "./Worktrees"

interface Props {
  project: Project
  turn: number
  writer: Writer | null
  linkOf: (address: Partial<GitAddress>) => string
}

/** The branches: where one is, where one can go, a new one, and where else branches are checked out. */
export function BranchesTab({ project, turn, writer, linkOf }: Props) {
  const { value, error, again } = useLoaded(() => readGit<Branches>(project.id, "branches"), [project.id, turn])
  const [text, setText] = useState("")
  if (!value) return error ? <Refusal error={error} machine={project.machine} needs="git=read" again={again} /> : <Skeleton label={t("reading")} />
  const fits = (branch: Branch) => branch.name.toLowerCase().includes(text.trim().toLowerCase())
  const remote = value.branches.filter((branch) => branch.is_remote)
  const parts = [
    { name: t("git.localBranches"), list: value.branches.filter((branch) => !branch.is_remote && fits(branch)) },
    { name: t("git.remoteBranches"), list: remote.filter(fits) },
  ]
  const current = value.is_detached ? "HEAD" : value.current
  const targets = remote.map((branch) => branch.name)
  return (
    <div className="single">
      <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
      {writer && <Create writer={writer} current={current} />}
      {value.branches.length > 8 && (
        <input type="search" className="narrowing" value={text} aria-label={t("git.filterBranches")} placeholder={t("git.filterBranches")} spellCheck={false}
          autoCapitalize="off" onChange={(event) => setText(event.target.value)} />
      )}
      {value.branches.length === 0 && <p className="empty soft">{t("git.noBranches")}</p>}
      {parts.filter((part) => part.list.length > 0).map((part) => (
        <section key={part.name} className="area" aria-label={part.name}>
          <header className="row"><h2 className="grow small soft">{part.name} <span className="num">{part.list.length}</span></h2></header>
          <ul>
            {part.list.map((branch) => (
              <BranchRow key={branch.name} branch={branch} current={current} targets={targets} writer={writer} href={linkOf({ tab: "log", branch: branch.name })} />
            ))}
          </ul>
        </section>
      ))}
      {value.is_truncated && <p className="small warn middle">{t("git.manyBranches")}</p>}
      <Worktrees project={project} turn={turn} />
    </div>
  )
}

function Create({ writer, current }: { writer: Writer; current: string }) {
  const [name, setName] = useState("")
  const wanted = name.trim()
  const submit = (event: Event) => {
    event.preventDefault()
    if (!wanted) return
    writer.ask({
      verb: "checkout", body: { branch: wanted, create: true }, title: t("git.create.title", { branch: visibleText(wanted) }),
      means: t("git.create.means", { from: visibleText(current) }), label: t("git.create"), said: t("git.switched", { branch: visibleText(wanted) }),
      done: () => setName(""),
    })
  }
  return (
    <form className="row create" onSubmit={submit}>
      <input type="text" className="grow" value={name} aria-label={t("git.newBranch")} placeholder={t("git.newBranch")} spellCheck={false} autoCapitalize="off" dir="ltr"
        maxLength={200} onChange={(event) => setName(event.target.value)} />
      <button type="submit" disabled={!wanted || writer.isWriting}>{t("git.create")}</button>
    </form>
  )
}
