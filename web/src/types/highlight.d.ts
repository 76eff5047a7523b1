// The part of highlight.js that this app uses. Debian packages no declarations.

declare module "highlight.js/lib/highlight" {
  type Language = (library: unknown) => unknown
  const hljs: {
    registerLanguage(name: string, language: Language): void
    highlight(language: string, code: string, ignoresErrors: boolean): { value: string }
  }
  export default hljs
}

declare module "highlight.js/lib/languages/*" {
  const language: (library: unknown) => unknown
  export default language
}
