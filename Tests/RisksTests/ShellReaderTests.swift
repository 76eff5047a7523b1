import Testing

@testable import Risks

@Suite("The shell reader")
struct ShellReaderTests {
    /// Words separated by spaces, a simple command a line; `>` and `<` before files, `?` where the text does not tell.
    private static func read(_ command: String) -> String {
        ShellReader.tokens(of: Array(command.utf8)).map { token in
            switch token {
            case .word(let word): text(word) + " "
            case .end: "\n"
            case .write(let file): ">" + text(file) + " "
            case .read(let file): "<" + text(file) + " "
            case .text(let body): "[" + text(body) + "] "
            case .opaque: "? "
            case .unread: "! "
            }
        }.joined()
    }

    private static func text(_ word: [UInt8]) -> String {
        String(
            decoding: word.map { $0 == ShellMark.unknown ? UInt8(ascii: "$") : $0 }.filter { $0 != 1 },
            as: UTF8.self
        )
    }

    @Test(
        "words, comments and redirections",
        arguments: [
            ("ls >&1#; rm -rf build", ">1# ls \nrm -rf build \n"),
            ("ls a\r#b; rm x", "ls a\r#b \nrm x \n"),
            ("ls # rm", "ls \n"),
            ("ls a#b 'c'#d", "ls a#b c#d \n"),
            ("a 2>&1 >&- >&2x <>y &>z", ">2x >y >z a \n"),
            ("a\\\nb \"c\\d\\\"\" 'e'\\''f'", "ab c\\d\" e'f \n"),
            ("$'\\x72\\155' $'a\\'b'", "rm a'b \n"),
            ("a >! b c >!d", ">! >b >!d >d a b c \n"),
            (">&-a b <&\\\n-c 2>&- >&1-d", "? ? >1-d a b c \n"),
            ("{a}>b c {d[\"e\"]}<&- {f,g}>h", "? <{a} >b ? <{d[e]} >h c f g \n"),
            ("a >\\\n> b <\\\n<\\\n<c 2\\\n>\\\n&1", ">b ? [c] a \n"),
        ]
    )
    func words(_ example: (command: String, read: String)) {
        #expect(ShellReaderTests.read(example.command) == example.read)
    }

    @Test(
        "commands in commands come first",
        arguments: [
            ("git $(echo -c x) push", "? echo -c x \ngit $ push \n"),
            ("a \"b `c \\`d\\`` e\"", "? ? d \nc $ \na b $ e \n"),
            ("a <(b) ${c:-$(d)}", "? b \n? ? d \na $ $ \n"),
            ("echo $(case x in a) rm y;; esac) z", "? case x in a \nrm y \nesac \necho $ z \n"),
            ("$((1 + $(a)))", "? ? a \n$ \n"),
            ("$((a); (b))", "? a \nb \n$ \n"),
            ("$((a '$(b)'))", "? ? b \n$ \n"),
            ("$((a $(case b in c) d;; esac)))", "? ? case b in c \nd \nesac \n? case b in c \nd \nesac \na $ \n$ \n"),
            ("$((a # (\n) ; b ))", "? a \nb \n! $ \n"),
            ("((a) ); ((((b))))", "a \n? "),
            ("((((a) ) ) ) b", "a \nb \n"),
            ("((((((a) ) ) ) ) ) b", "? ! ? ? ? ? "),
            ("${ a; }b", "? ! ? $ \n"),
            ("\"${a:-'}$(b)'}\" ${c:-$'$(d)'}", "? ? b \n? ? d \n$ $ \n"),
            ("$[a[1] '$(b)' ${c:-] d", "? ? b \n$ d \n"),
            ("a=(b $(c)); d", "<b ? c \n<$ a=$ \nd \n"),
            ("a \"$\\\n\\\n(b)\" <\\\n(c)", "? b \n? c \na $ $ \n"),
            ("$\\\n(\\\n(1)\\\n) $\\\n{a}", "? ? $ $ \n"),
        ]
    )
    func nesting(_ example: (command: String, read: String)) {
        #expect(ShellReaderTests.read(example.command) == example.read)
    }

    @Test(
        "reserved words",
        arguments: [
            ("function f { a; }", "function f \n{ a \n} \n"),
            ("coproc N { a; }", "coproc N \n{ a \n} \n"),
            ("for i do a; done", "for i \ndo a \ndone \n"),
            ("[[ a < b || c ]] && d", "[[ a b c ]] \nd \n"),
            ("case a in b|c) d;; [[) e;; esac", "case a in b \nc \nd \n[[ \ne \nesac \n"),
            ("case a in (b) coproc N { c; };; esac", "? case a in \nb \ncoproc N \n{ c \n} \nesac \n"),
            ("for ((i=0;i<3;i++)); do a; done", "? for \ndo a \ndone \n"),
            ("for ((;;)) { a; }", "? for \n{ a \n} \n"),
            ("if [[ a ]] then b; fi", "if [[ a ]] \nthen b \nfi \n"),
            ("if case a in esac then b; fi", "if case a in \nesac then b \nfi \n"),
            ("case a\nin b) c; esac", "case a in b \nc \nesac \n"),
            ("time -p -- for i do a; done", "time -p -- for i \ndo a \ndone \n"),
            ("time -p [[ a || b ]]", "time -p [[ a \nb ]] \n"),
        ]
    )
    func reserved(_ example: (command: String, read: String)) {
        #expect(ShellReaderTests.read(example.command) == example.read)
    }

    @Test(
        "here-documents",
        arguments: [
            ("a <<E\n$(b)\nE\nc", "? a \n[$(b)\n] ? b \nc \n"),
            ("a <<'E'\n$(b)\nE\nc", "? a \n[$(b)\n] c \n"),
            ("a <<-E\n\tb\n\tE\nc", "? a \n[b\n] c \n"),
            ("a <<E\nb\\\nE\nE\nc", "? a \n[bE\n] c \n"),
            ("a <<$\n$(b)\n$", "? a \n[$(b)\n] ? b \n"),
            ("a <<$b\nc", "? ? ! a \n"),
            ("a <<-'\tE'\n\tE\nb", "? a \n[] b \n"),
            ("$(a <<E\nE b)\nc", "? ? a \n? [] b \n$ \nc \n"),
            ("a <<E", "? a \n"),
            ("a <<<'b c'", "? [b c] a \n"),
        ]
    )
    func documents(_ example: (command: String, read: String)) {
        #expect(ShellReaderTests.read(example.command) == example.read)
    }

    @Test(
        "braces",
        arguments: [
            ("a {b,c}d x{1..3}y {z} {,}", "a bd cd x*y {z} \n"),
            ("a {b,{c,d}}e '{f,g}'", "a be ce de {f,g} \n"),
            ("{rm,-rf,x}", "rm -rf x \n"),
        ]
    )
    func braces(_ example: (command: String, read: String)) {
        #expect(ShellReaderTests.read(example.command) == example.read)
    }

    @Test("too many words in braces are not told apart")
    func manyBraces() {
        #expect(ShellReaderTests.read("a {1,2}{1,2}{1,2}{1,2}{1,2}{1,2}").split(separator: " ").count == 66)
        #expect(ShellReaderTests.read("a {1,2}{1,2}{1,2}{1,2}{1,2}{1,2}{1,2}").hasPrefix("? a {1,2}"))
        // Empty words count as well: 32 braces would make 2^32 of them.
        #expect(ShellReaderTests.read("a " + String(repeating: "{,}", count: 6)) == "a \n")
        #expect(ShellReaderTests.read("a " + String(repeating: "{,}", count: 32)).hasPrefix("? a {,}"))
    }

    @Test(
        "what does not end",
        arguments: ["'a", "\"a", "$(a", "`a", "${a", "a=(b", "$'a", "(a", "a >", "a <<E\nb", "$[a"]
    )
    func unfinished(_ command: String) {
        #expect(ShellReaderTests.read(command).contains("?"))
    }

    @Test("commands deep inside each other are not read to the end")
    func depth() {
        for opening in ["$(", "${a:-", "a=(", "(", "\"$(", "\"${a:-"] {
            #expect(ShellReaderTests.read(String(repeating: opening, count: 2_000)).contains("!"), "\(opening)")
        }
    }
}
