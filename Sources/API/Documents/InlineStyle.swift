internal import Signing

/// The style of a page that the server writes itself. The content security policy contains its hash, so the browser
/// applies no other style of the page.
package struct InlineStyle: Sendable {
    package let text: String
    /// The source for `style-src`.
    package let source: String

    package init(_ text: String) {
        self.text = text
        let hash = Base64URL.encode(Digest.sha256(Array(text.utf8)))
        source = "'sha256-\(hash.replacing("-", with: "+").replacing("_", with: "/"))='"
    }
}
