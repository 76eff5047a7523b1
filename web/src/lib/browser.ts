const browsers: [RegExp, string][] = [
  [/Edg\//, "Edge"], [/OPR\//, "Opera"], [/Firefox\/|FxiOS/, "Firefox"], [/Chrome\/|CriOS|Chromium/, "Chrome"],
  [/Safari\//, "Safari"],
]
const systems: [RegExp, string][] = [
  [/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/Windows/, "Windows"], [/Mac OS X/, "Mac"],
  [/CrOS/, "ChromeOS"], [/Linux/, "Linux"],
]

/** How this browser is called in lists of devices. */
export function browserName(): string {
  const name = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(navigator.userAgent))?.[1]
  return [name(browsers) ?? "Browser", name(systems)].filter(Boolean).join(" · ")
}
