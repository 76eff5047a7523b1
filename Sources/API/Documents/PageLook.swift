/// The look of pages that the server writes itself, which is that of the web app (`web/styles/tokens.css`).
package enum PageLook {
    package static let style = """
        :root{color-scheme:light dark;--bg:light-dark(#f7f7f5,#0f1113);--surface:light-dark(#fff,#171a1d);\
        --line:light-dark(#e4e3df,#2a2f34);--edge:light-dark(#8b8a85,#6b727a);--ink:light-dark(#1c1d1f,#e8eaed);\
        --soft:light-dark(#5c6066,#a2a9b1);--accent:light-dark(#b4552d,#e0875c);--link:light-dark(#a44a25,#e0875c);\
        --on:light-dark(#fff,#1a0f09);--bad:light-dark(#b42318,#ff7b72);\
        font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
        body{margin:0;background:var(--bg);color:var(--ink);overflow-wrap:break-word}
        h1{font-size:1.5rem;letter-spacing:-.015em;margin:0 0 .9rem}h2{font-size:1.1rem;margin:2rem 0 .6rem}
        a{color:var(--link)}code,pre{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace}
        small,i{color:var(--soft);font-weight:normal;font-style:normal}
        :focus-visible{outline:2px solid var(--accent);outline-offset:2px}

        """
}
