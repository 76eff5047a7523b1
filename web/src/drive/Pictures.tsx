import { useRef, useState, type ReactNode } from "react"
import { t } from "../words/words"
import { fitting, imageFiles, mostPictures, pictureURL, readPicture, type Picture } from "./picture"

/** The pictures of a message that is being written: from files, the camera, or the clipboard. */
export interface Pictures {
  list: Picture[]
  error: string | null
  add: (files: Iterable<File> | null | undefined) => void
  remove: (index: number) => void
  clear: () => void
  /** For the text field. */
  onPaste: (event: { clipboardData: DataTransfer | null; preventDefault: () => void }) => void
}

/** What waits in other sessions, as long as the page is open. */
const kept = new Map<string, Picture[]>()

/** @param of the session */
export function usePictures(of: string): Pictures {
  const [list, setList] = useState<Picture[]>(kept.get(of) ?? [])
  if (list.length > 0) kept.set(of, list)
  else kept.delete(of)
  const [error, setError] = useState<string | null>(null)
  const add = (files: Iterable<File> | null | undefined) => {
    const chosen = imageFiles(files)
    if (chosen.length === 0) return
    setError(null)
    void Promise.allSettled(chosen.map(readPicture)).then((results) => {
      const read = results.flatMap((result) => result.status === "fulfilled" ? [result.value] : [])
      if (read.length < results.length) setError(t("picture.unreadable"))
      setList((before) => {
        const all = [...before, ...read]
        const fit = fitting(all)
        if (fit.length < all.length) setError(t("picture.tooMany", { n: mostPictures }))
        return fit
      })
    })
  }
  return {
    list, error, add,
    remove: (index) => setList((before) => before.filter((_, at) => at !== index)),
    clear: () => {
      setList([])
      setError(null)
    },
    onPaste: (event) => {
      const files = imageFiles(event.clipboardData?.files)
      if (files.length === 0) return
      event.preventDefault()
      add(files)
    },
  }
}

/** From files; on a phone or tablet also from the camera, which not every choice of files offers. */
export function PictureButton({ pictures }: { pictures: Pictures }) {
  return (
    <>
      <Chooser label={t("picture.add")} onChosen={pictures.add} sign={<><rect x="2.5" y="3.5" width="15" height="13" rx="2" /><circle cx="7" cy="8" r="1.5" /><path d="M3 14l4-3 3 2 4-4 3 3" /></>} />
      <Chooser label={t("picture.camera")} onChosen={pictures.add} isCamera sign={<><path d="M2.5 6.5h3.5l1.5-2.5h5l1.5 2.5h3.5v10h-15z" /><circle cx="10" cy="11" r="3" /></>} />
    </>
  )
}

interface ChooserProps {
  label: string
  isCamera?: boolean
  sign: ReactNode
  onChosen: (files: FileList | null) => void
}

function Chooser({ label, isCamera = false, sign, onChosen }: ChooserProps) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <input ref={chooser} type="file" accept="image/*" multiple={!isCamera} capture={isCamera ? "environment" : undefined} hidden onChange={(event) => {
        onChosen(event.target.files)
        event.target.value = ""
      }} />
      <button type="button" className={isCamera ? "quiet camera" : "quiet"} aria-label={label} title={label} onClick={() => chooser.current?.click()}>
        <svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">{sign}</svg>
      </button>
    </>
  )
}

export function PictureList({ pictures }: { pictures: Pictures }) {
  if (pictures.list.length === 0 && !pictures.error) return null
  return (
    <>
      {pictures.list.length > 0 && (
        <ul className="pictures" aria-label={t("pictures")}>
          {pictures.list.map((picture, index) => (
            <li key={index}>
              <img src={pictureURL(picture)} alt={picture.name || t("picture")} />
              <button type="button" aria-label={t("picture.remove", { name: picture.name || t("picture") })}
                onClick={() => pictures.remove(index)}>×</button>
            </li>
          ))}
        </ul>
      )}
      {pictures.error && <p className="fault small" role="alert">{pictures.error}</p>}
    </>
  )
}

/** As the server takes them. */
export function imagesOf(pictures: Pictures): { images?: { media_type: string; data: string }[] } {
  if (pictures.list.length === 0) return {}
  return { images: pictures.list.map(({ media_type, data }) => ({ media_type, data })) }
}
