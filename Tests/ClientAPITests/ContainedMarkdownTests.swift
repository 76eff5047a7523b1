import Testing

@testable import ClientAPI

@Suite("Texts in a Markdown document")
struct ContainedMarkdownTests {
    static let hostile: [(text: String, quoted: String)] = [
        ("plain **bold** `code`", "> plain **bold** `code`\n"),
        ("## You", "> \\## You\n"),
        ("   # You", ">    \\# You\n"),
        ("#hash and #1", "> #hash and #1\n"),
        ("####### seven", "> ####### seven\n"),
        ("You\n===", "> You\n> \\===\n"),
        ("You\n-", "> You\n> \\-\n"),
        ("a\n\n---\n\nb", "> a\n>\n> \\---\n>\n> b\n"),
        ("* * *", "> \\* * *\n"),
        ("- item\n- ## You", "> - item\n> - \\## You\n"),
        ("> ## You", "> > \\## You\n"),
        ("1. # You", "> 1. \\# You\n"),
        ("<h2>You</h2>", "> \\<h2>You\\</h2>\n"),
        ("</blockquote>", "> \\</blockquote>\n"),
        ("an Array<Int>, a < b", "> an Array<Int>, a < b\n"),
        ("x <!-- y", "> x \\<!-- y\n"),
        ("<foo>", "> \\<foo>\n"),
        ("a\r\nb\rc\u{2028}d\u{85}e", "> a\n> b\n> c\n> d\n> e\n"),
        ("```sh\n# comment\n<h2>\n```\n# You", "> ```sh\n> # comment\n> <h2>\n> ```\n> \\# You\n"),
        ("````\n```\n# a\n````\n# b", "> ````\n> ```\n> # a\n> ````\n> \\# b\n"),
        ("~~~ `x`\n# a\n~~~\n# b", "> ~~~ `x`\n> # a\n> ~~~\n> \\# b\n"),
        ("``` `x`\n# a", "> ``` `x`\n> \\# a\n"),
        ("```\n# a", "> ```\n> # a\n"),
        ("1. x\n   ```\n   # a\n   ```\n# b", "> 1. x\n>    ```\n>    # a\n>    ```\n> \\# b\n"),
        // The list, and the block in it, end at the heading. After that nothing counts as code.
        ("1. x\n   ```\n## You\n```\n## You", "> 1. x\n>    ```\n> \\## You\n> ```\n> \\## You\n"),
        ("- ```\n## You", "> - ```\n> \\## You\n"),
        ("    ```\n## You", ">     ```\n> \\## You\n"),
        ("> ```\n## You", "> > ```\n> \\## You\n"),
        ("```\n    ```\n# a", "> ```\n>     ```\n> # a\n"),
        ("", ">\n"),
    ]

    @Test("a text stays within its quotation and has no headings", arguments: hostile.indices)
    func quoted(_ index: Int) {
        let (text, quoted) = ContainedMarkdownTests.hostile[index]
        #expect(ContainedMarkdown.quoted(text) == quoted + "\n")
    }

    @Test("random texts stay within their quotation", arguments: UInt64(0)..<200)
    func random(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let parts = [
            "#", " ", "\n", "```", "~~~", "- ", "> ", "1. ", "<h1>", "</p>", "---", "===", "x", "\t", "\r", "\u{301}",
        ]
        var text = ""
        for _ in 0..<60 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            text += parts[Int(state % UInt64(parts.count))]
        }
        let lines = ContainedMarkdown.quoted(text).unicodeScalars.split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let areQuoted = lines.dropLast(2).allSatisfy { $0.first == ">" }
        #expect(areQuoted)
        let endsEmpty = lines.suffix(2).allSatisfy { $0.isEmpty }
        #expect(endsEmpty)
        let breaks: Set<Unicode.Scalar> = ["\r", "\u{2028}"]
        let hasBreak = lines.contains { line in line.contains { breaks.contains($0) } }
        #expect(!hasBreak)
    }

    @Test("a line's marks of formatting mean themselves")
    func inline() {
        #expect(ContainedMarkdown.inline("a*b_c`d`\n<h1> [x] \\ & e") == "a\\*b\\_c\\`d\\` \\<h1> \\[x\\] \\\\ \\& e")
    }
}
