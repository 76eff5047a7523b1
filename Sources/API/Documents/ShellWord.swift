/// A word of a shell command. Whatever the text contains, a shell reads it as this one word.
package struct ShellWord: Sendable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        let plain = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz/._-+:@%,")
        let quoted = text.map { $0 == "'" ? "'\\''" : String($0) }.joined()
        description = !text.isEmpty && text.allSatisfy(plain.contains) ? text : "'\(quoted)'"
    }
}
