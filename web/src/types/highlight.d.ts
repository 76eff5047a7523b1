// The part of highlight.js that this app uses. Debian packages no declarations.

interface HighlightMode {
  className?: string
  contains?: HighlightMode[]
}

declare module "highlight.js/lib/highlight" {
  type Language = (library: unknown) => HighlightMode
  const hljs: {
    registerLanguage(name: string, language: Language): void
    highlight(language: string, code: string, ignoresErrors: boolean): { value: string }
  }
  export default hljs
}

declare module "highlight.js/lib/languages/*" {
  const language: (library: unknown) => HighlightMode
  export default language
}
