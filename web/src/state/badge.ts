interface BadgeNavigator {
  setAppBadge?: (count: number) => Promise<void>
  clearAppBadge?: () => Promise<void>
}

/** The number on the app's icon, where the app is installed, and in the tab's title. */
export function setBadge(count: number): void {
  const device = navigator as unknown as BadgeNavigator
  const done = count > 0 ? device.setAppBadge?.(count) : device.clearAppBadge?.()
  done?.catch(() => undefined)
  const title = document.title.replace(/^\(\d+\) /, "")
  document.title = count > 0 ? `(${count}) ${title}` : title
}
