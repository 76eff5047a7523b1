import Testing

@testable import EventModel

@Suite("SearchLexemes")
struct SearchLexemesTests {
    /// Each lexeme as `text:position`.
    private func lexemes(_ text: String) -> [String] {
        SearchLexemes.vector(of: text).split(separator: " ").map(String.init)
    }

    @Test("words are small letters and digits, between anything else")
    func words() {
        #expect(lexemes("Fix the Login, v2!") == ["fix:1", "the:2", "login:3", "v2:4"])
        #expect(lexemes("") == [] && lexemes(" .,-_/ ") == [])
    }

    @Test("the parts of a path and of a name with underscores are words")
    func paths() {
        #expect(lexemes("src/app_core/Main.swift") == ["src:1", "app:2", "core:3", "main:4", "swift:5"])
    }

    @Test("the parts of a camelCase name stand at its position")
    func camelCase() {
        #expect(lexemes("parseHTTPHeader x") == ["parsehttpheader:1", "parse:1", "http:1", "header:1", "x:2"])
        #expect(lexemes("aB2Cd") == ["ab2cd:1", "b2:1", "cd:1"])
        #expect(lexemes("URL") == ["url:1"] && lexemes("Main") == ["main:1"])
    }

    @Test("scripts without spaces are pairs of characters, and the last character")
    func pairs() {
        #expect(lexemes("登录页面") == ["登录:1", "录页:2", "页面:3", "面:4"])
        #expect(lexemes("用") == ["用:1"])
        #expect(lexemes("ログイン画面のバグ").prefix(3) == ["ログ:1", "グイ:2", "イン:3"])
        #expect(lexemes("로그인 ok") == ["로그:1", "그인:2", "인:3", "ok:4"])
        #expect(lexemes("app登录") == ["app:1", "登录:2", "录:3"])
    }

    @Test("letters of other scripts keep their marks")
    func otherScripts() {
        #expect(lexemes("Größe ÉTÉ Привет") == ["größe:1", "été:2", "привет:3"])
    }

    @Test("a long word is cut between characters, and positions end where PostgreSQL's do")
    func bounds() {
        #expect(lexemes(String(repeating: "a", count: 100)) == [String(repeating: "a", count: 64) + ":1"])
        let cut = lexemes("a" + String(repeating: "é", count: 60)).first ?? ""
        #expect(cut == "a" + String(repeating: "é", count: 31) + ":1")
        #expect(lexemes(String(repeating: "a ", count: 20_000)).last == "a:16383")
    }
}
