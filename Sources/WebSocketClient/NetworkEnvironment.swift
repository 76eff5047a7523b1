internal import Glibc

/// Variables from which libwebsockets and OpenSSL take proxies, certificates and the name of a file for session keys.
package enum NetworkEnvironment {
    private static let names = [
        "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
        "socks_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE", "OPENSSL_CONF", "OPENSSL_ENGINES",
        "OPENSSL_MODULES", "OPENSSL_CONF_INCLUDE",
    ]

    /// Removes them from this process. Call before other threads start.
    package static func clear() {
        for name in names { unsafe unsetenv(name) }
    }
}
