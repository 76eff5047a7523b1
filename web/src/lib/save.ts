/** Hands a file to the person, as a download. */
export function saveFile(file: File): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement("a")
  link.href = url
  link.download = file.name
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** A table for spreadsheets. A cell that a spreadsheet would take for a formula is kept text. */
export function csv(rows: (string | number)[][]): string {
  const cell = (value: string | number) => {
    const text = typeof value === "number" ? String(value) : value.replace(/^[=+\-@\t\r]/, "'$&")
    return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text
  }
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n"
}
