import assert from "node:assert/strict"
import { test } from "node:test"
import { languages, toneOf } from "../src/parts/highlighter"

test("code is cut into pieces that are the code", () => {
  const code = 'int main(void) { return "a<b" + 1; } // <end>\n'
  const pieces = toneOf(code, "cpp")
  assert.equal(pieces.map(([text]) => text).join(""), code)
  assert.ok(pieces.some(([text, tone]) => tone === "k" && text === "return"))
})

test("hostile code takes no time", () => {
  const pieces = ["a<b> ", "a ", " ", "\t", "a.", "(", "((a) ", "<", "<a ", "[", "{", "\"", "'a", "`", "/*", "//", "#", "a::", "a-", "\\", "0x", "1e", "a,", "<!--", "<?", "$a",
    "@a(", "a = ", "fun <a> ", "void a ", "def a ", "- ", ": ", "| ", "%q", "=begin\n", "* ", "_a"]
  for (const language of Object.keys(languages)) {
    for (const piece of pieces) for (const end of ["", ";", "x\n", "!"]) {
      const from = performance.now()
      toneOf(piece.repeat(Math.ceil(400 / piece.length)) + end, language)
      const took = performance.now() - from
      assert.ok(took < 5_000, `${language}: ${JSON.stringify(piece)} … ${JSON.stringify(end)} took ${took.toFixed(0)} ms`)
    }
  }
})
