import Testing

@testable import Search

@Suite("SearchExpression")
struct SearchExpressionTests {
    private func tsquery(_ text: String) throws -> String { try SearchExpression(text).tsquery }

    @Test("all words must occur; a word is a beginning from three letters on")
    func words() throws {
        #expect(try tsquery("fix regis") == "(('fix':*) & ('regis':*))")
        #expect(try tsquery("go UI") == "(('go') & ('ui'))")
    }

    @Test("a phrase is exact, and a word with punctuation is a phrase of its parts")
    func phrases() throws {
        #expect(try tsquery("\"the login\"") == "(('the' <1> 'login'))")
        #expect(try tsquery("src/main.swi") == "(('src' <1> 'main' <1> 'swi':*))")
    }

    @Test("alternatives and words to leave out")
    func operators() throws {
        #expect(try tsquery("one or two -three") == "(('one':*)) | (('two':*) & !('three'))")
        #expect(try tsquery("one -\"two three\"") == "(('one':*) & !('two' <1> 'three'))")
        #expect(try tsquery("or one or") == "(('one':*))")
    }

    @Test("pairs of characters follow each other; a single character is a beginning")
    func pairs() throws {
        #expect(try tsquery("登录页") == "(('登录' <1> '录页':*))")
        #expect(try tsquery("登") == "(('登':*))")
        // The last character of a run has a position of its own.
        #expect(try tsquery("登录ios") == "(('登录' <2> 'ios':*))")
    }

    @Test(
        "a query, or an alternative of it, that only leaves out words is refused",
        arguments: ["-w0 -w1", "-\"a b\"", "word or -other", "!!! ...", "-", "\"\"", "or", "-w0 ???"]
    )
    func noPositiveWord(text: String) {
        #expect(throws: SearchExpression.Fault.noPositiveWord) { try SearchExpression(text) }
    }

    @Test("the number of words is bounded, those of phrases included")
    func tooMany() throws {
        let most = (0..<SearchExpression.maximumWords).map { "w\($0)" }
        _ = try SearchExpression(most.joined(separator: " "))
        #expect(throws: SearchExpression.Fault.tooManyWords) {
            try SearchExpression(most.joined(separator: " ") + " more")
        }
        #expect(throws: SearchExpression.Fault.tooManyWords) {
            try SearchExpression("\"" + most.joined(separator: "-") + " more\"")
        }
    }

    @Test("nothing that a person types ends a quoted lexeme")
    func quotes() throws {
        #expect(try tsquery("it's a\\'b:*|c") == "(('it' <1> 's') & ('a' <1> 'b' <1> 'c'))")
    }
}
