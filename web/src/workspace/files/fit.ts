/** The places of a query's letters in a path, as the search by name compares them: in their order, at the end if they fit there. */
export function fitting(path: string, query: string): number[] {
  const [text, letters] = [path.toLowerCase(), query.toLowerCase().replace(/\s+/g, "")]
  if (text.length !== path.length) return []
  const whole = text.lastIndexOf(letters)
  if (whole >= 0) return Array.from(letters, (_, index) => whole + index)
  const found: number[] = []
  for (let at = text.length - 1, left = letters.length - 1; left >= 0; left--) {
    at = text.lastIndexOf(letters[left]!, at)
    if (at < 0) return []
    found.unshift(at--)
  }
  return found
}
