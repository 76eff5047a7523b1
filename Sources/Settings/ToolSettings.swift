internal import HTTPClient
internal import OAuth

extension SettingsReader {
    /// The addresses to which browsers may go after a login for a program.
    mutating func toolCallbacks(_ publicURL: HTTPLocation?) -> CallbackRules {
        if let rules = CallbackRules(list(.toolCallbacks) ?? [], publicURL: publicURL) { return rules }
        fault(.toolCallbacks, "must be origins such as https://app.example and schemes such as act:, by commas")
        return CallbackRules(publicURL: publicURL)
    }
}
