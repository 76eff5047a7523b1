import { useEffect, useState } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import { visibleText } from "../../lib/visible"
import { Skeleton } from "../../parts/Notice"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import { nameOf, type Place } from "./place"
import { readBytes } from "./requests"

/** The first bytes of the pictures that the server sends as such, in Base64. */
const beginnings = ["iVBORw0KGg", "/9j/", "R0lGODdh", "R0lGODlh", "UklGR"]

export function isPicture(content: string): boolean {
  return beginnings.some((beginning) => content.startsWith(beginning))
}

/** A picture of the kinds that the server recognizes; it cannot run anything. */
export function Picture({ project, place }: { project: Project; place: Place }) {
  const [url, setURL] = useState<string | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [size, setSize] = useState("")
  useEffect(() => {
    let made: string | null = null
    let isCurrent = true
    readBytes(project, place).then((blob) => {
      if (!isCurrent) return
      made = URL.createObjectURL(blob)
      setURL(made)
    }, (fault: unknown) => isCurrent && setError(asApiError(fault)))
    return () => {
      isCurrent = false
      if (made) URL.revokeObjectURL(made)
    }
  }, [project, place.path, place.bytes])
  if (error) return <Refusal error={error} machine={project.machine} needs="files=read" />
  if (!url) return <Skeleton label={t("reading")} />
  return (
    <figure className="shown">
      <img src={url} alt={visibleText(nameOf(place.path))} onLoad={(event: { currentTarget: HTMLImageElement }) =>
        setSize(`${event.currentTarget.naturalWidth} × ${event.currentTarget.naturalHeight}`)} />
      <figcaption className="small soft num">{size}</figcaption>
    </figure>
  )
}
