/** A picture that a message will contain. */
export interface Picture {
  media_type: string
  /** Base64. */
  data: string
  name: string
}

export const mostPictures = 10
/** The server takes 13 MiB in one message. */
const mostTotal = 13 * 2 ** 20
/** Larger ones are drawn anew, so that they arrive on a slow line as well. */
const mostBytes = 2 * 2 ** 20
/** Claude sees no more than this in each direction. */
const longestSide = 2000
const taken = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

export function imageFiles(files: Iterable<File> | null | undefined): File[] {
  return [...files ?? []].filter((file) => file.type.startsWith("image/"))
}

/** Throws if the browser cannot show a picture. */
export async function readPicture(file: File): Promise<Picture> {
  const fits = taken.has(file.type) && file.size <= mostBytes
  const blob = fits ? file : await redrawn(file)
  const url = await dataURL(blob)
  return { media_type: blob.type, data: url.slice(url.indexOf(",") + 1), name: file.name }
}

export function pictureURL(picture: Picture): string {
  return `data:${picture.media_type};base64,${picture.data}`
}

/** Those that fit into one message, in their order. */
export function fitting(pictures: readonly Picture[]): Picture[] {
  let room = mostTotal
  return pictures.slice(0, mostPictures).filter((picture) => {
    const size = picture.data.length / 4 * 3
    if (size > room) return false
    room -= size
    return true
  })
}

async function redrawn(file: File): Promise<Blob> {
  const bitmap = await createImageBitmap(file)
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const drawing = canvas.getContext("2d")
  if (!drawing) throw new Error("no canvas")
  // A JPEG has no transparency.
  drawing.fillStyle = "white"
  drawing.fillRect(0, 0, canvas.width, canvas.height)
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => blob ? done(blob) : fail(new Error("no picture")), "image/jpeg", 0.85)
  })
}

function dataURL(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader()
    reader.onload = () => done(String(reader.result))
    reader.onerror = () => fail(reader.error ?? new Error("unreadable"))
    reader.readAsDataURL(blob)
  })
}
