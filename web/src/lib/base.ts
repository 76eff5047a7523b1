/** The directory of the app as the browser sees it. Behind a proxy it may be more than `/`. */
export const base = new URL(".", typeof document === "undefined" ? self.location.href : document.baseURI)

/** @param path without a leading slash */
export function address(path: string): string {
  return new URL(path, base).href
}

export function socketAddress(path: string): string {
  const url = new URL(path, base)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  return url.href
}
