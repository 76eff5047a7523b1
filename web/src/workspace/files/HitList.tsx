import type { ReactNode } from "react"
import { number } from "../../lib/time"
import { cut } from "../../lib/visible"
import { Pieces, Plain } from "../../parts/Plain"
import { named, t } from "../../words/words"
import { Refusal } from "../Refusal"
import { fitting } from "./fit"
import type { Project } from "../useProject"
import { found as foundAt, nameOf, type Place } from "./place"
import type { Hit } from "./requests"
import type { Search } from "./useSearch"

interface Props {
  search: Search
  project: Project
  linkOf: (place: Place, line?: number) => string
}

const longestLine = 300

/** What a search has found, and what it did not look at. */
export function HitList({ search: { found, isSearching, again }, project, linkOf }: Props) {
  const hits = found?.hits
  const count = !hits ? "" : t(found.isContents ? "files.lines" : "files.found", { n: number(hits.results.length), of: number(hits.total) })
  return (
    <div className={isSearching ? "hits old" : "hits"} aria-busy={isSearching}>
      <p className="small soft middle" role="status">{isSearching ? t("files.searching") : hits?.results.length === 0 ? t("files.nothing") : count}</p>
      <Refusal error={found?.error ?? null} machine={project.machine} needs="files=read" again={again} />
      {hits && !hits.complete && <p className="small warn middle">{t("files.incomplete")} {hits.reason ? named("files.reason", hits.reason) : ""}</p>}
      {hits && found && (found.isContents ? <Lines hits={hits.results} query={found.query} project={project} linkOf={linkOf} /> : (
        <ul aria-label={t("files.results")}>
          {hits.results.map((hit) => (
            <li key={hit.path_b64 ?? hit.path}>
              <a className="hit" href={linkOf(foundAt(project.path, hit))}>
                <span className="wrap"><b><Plain text={nameOf(hit.path)} /></b></span>
                <span className="soft small wrap"><Marked text={hit.path} places={fitting(hit.path, found.query)} /></span>
                {hit.is_secret && <span className="tag bad">{t("files.secret")}</span>}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </div>
  )
}

/** The lines that contain the text, file by file. */
function Lines({ hits, query, project, linkOf }: Omit<Props, "search"> & { hits: Hit[]; query: string }) {
  const files = new Map<string, Hit[]>()
  for (const hit of hits) files.set(hit.path_b64 ?? hit.path, [...(files.get(hit.path_b64 ?? hit.path) ?? []), hit])
  return (
    <ul aria-label={t("files.results")}>
      {[...files].map(([key, lines]) => (
        <li key={key}>
          <p className="small wrap of"><b><Plain text={lines[0]!.path} /></b></p>
          <ul>
            {lines.map((hit) => (
              <li key={hit.line ?? 0}>
                <a className="hit line" href={linkOf(foundAt(project.path, hit), hit.line)}>
                  <span className="faint num small">{hit.line}</span>
                  <code className="clip"><Marked text={cut((hit.text ?? "").trimStart(), longestLine)} places={occurrence(hit.text ?? "", query)} /></code>
                </a>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function occurrence(text: string, query: string): number[] {
  const trimmed = text.trimStart()
  const at = trimmed.toLowerCase().indexOf(query.toLowerCase())
  return at < 0 ? [] : Array.from(query, (_, index) => at + index)
}

/** A text with marks at the places that fit. */
function Marked({ text, places }: { text: string; places: number[] }) {
  const wanted = new Set(places)
  const out: ReactNode[] = []
  for (let at = 0; at < text.length;) {
    let end = at + 1
    while (end < text.length && wanted.has(end) === wanted.has(at)) end++
    const piece = <Pieces key={at} text={text.slice(at, end)} />
    out.push(wanted.has(at) ? <mark key={at}>{piece}</mark> : piece)
    at = end
  }
  return <bdi dir="ltr">{out}</bdi>
}
