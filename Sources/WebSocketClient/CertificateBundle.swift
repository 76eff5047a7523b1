internal import Glibc

/// The system's file of certificates. The library's own search depends on how OpenSSL was built and on the environment.
package enum CertificateBundle {
    private static let places = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
        "/var/lib/ca-certificates/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    package static var path: String? { places.first { unsafe access($0, R_OK) == 0 } }
}
