import { useEffect, useState } from "react"
import { go } from "../../lib/route"
import { useKeys } from "../../lib/keys"
import { Fault, Skeleton } from "../../parts/Notice"
import { useTitle } from "../../state/title"
import { projectLabel } from "../../state/names"
import { t } from "../../words/words"
import { replaceAddress, workspaceLink } from "../links"
import { NoAgent } from "../NoAgent"
import { Shell } from "../Shell"
import { useFollowing } from "../useFollowing"
import { useProject, type Project } from "../useProject"
import { filesAddress, filesQuery, type FilesAddress } from "./address"
import { FileView } from "./FileView"
import { HitList } from "./HitList"
import { keyOf, nameOf, type Place } from "./place"
import { SearchBox } from "./SearchBox"
import { treeOf } from "./tree"
import { TreeView } from "./TreeView"
import { useSearch } from "./useSearch"

/** The files of a project: the tree or what a search found, and beside it the file that is open. */
export function Files({ id, query }: { id: string; query: string }) {
  const { project, error, again } = useProject(id)
  const address = filesAddress(query)
  const name = projectLabel(project?.path) || t("files")
  useTitle(address.place ? nameOf(address.place.path) : project ? `${name} · ${t("files")}` : t("files"))
  return (
    <Shell view="files" title={name} place={project?.machine ?? ""} project={id} session={address.session}>
      <Fault what={t("unread.project")} error={error} again={again} />
      {!project && !error && <Skeleton label={t("reading")} />}
      {project && (project.machine && project.path ? <NoAgent machine={project.machine}><Opened key={id} project={project} address={address} /></NoAgent>
        : <p className="empty soft">{t("workspace.nowhere")}</p>)}
    </Shell>
  )
}

function Opened({ project, address }: { project: Project; address: FilesAddress }) {
  const tree = treeOf(project)
  const [text, setText] = useState(address.query)
  const [asked, setAsked] = useState(address.query)
  const [isContents, setContents] = useState(address.isContents)
  const search = useSearch(project, isContents ? asked : text, isContents)
  useFollowing(project.id, { file: (change) => change.change !== "modified" }, () => void tree.refresh())
  const { place, line, session } = address
  const link = (next: Place | null, at = 0) =>
    workspaceLink("files", project.id, filesQuery({ place: next, line: at, session, query: text, isContents }))
  // The search is a part of the address, so that back and reload lead to it.
  useEffect(() => replaceAddress(link(place, line)), [text, isContents])
  useKeys({ Escape: place ? () => go(link(null)) : undefined })
  const isSearch = text.trim() !== ""
  return (
    <div className={place ? "side-by open" : "side-by"}>
      <div className="finding">
        <SearchBox text={text} isContents={isContents} onText={(next) => {
          setText(next)
          if (!next) setAsked("")
        }} onSubmit={() => setAsked(text)} onRead={() => void tree.refresh()} onWay={(is) => {
          setContents(is)
          setAsked(text)
        }} />
        {isSearch && isContents && text !== asked && <p className="small soft middle">{t("files.pressEnter")}</p>}
        {isSearch ? <HitList search={search} project={project} linkOf={link} />
          : <TreeView tree={tree} shown={place} linkOf={(one) => link(one)} />}
      </div>
      {place ? (
        <FileView key={keyOf(place)} project={project} place={place} line={line} backTo={link(null)}
          onLine={(next) => location.replace(link(place, next === line ? 0 : next))} />
      ) : <p className="empty soft wide">{t("files.choose")}</p>}
    </div>
  )
}
