interface BadgeNavigator {
  setAppBadge?: (count: number) => Promise<void>
  clearAppBadge?: () => Promise<void>
}

/** The number on the app's icon, where the app is installed; a dot on the icon of the tab. */
export function setBadge(count: number): void {
  const device = navigator as unknown as BadgeNavigator
  const done = count > 0 ? device.setAppBadge?.(count) : device.clearAppBadge?.()
  done?.catch(() => undefined)
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]")
  const wanted = count > 0 ? "icons/waiting.svg" : "icons/icon.svg"
  if (icon && icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted)
}
