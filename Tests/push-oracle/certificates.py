"""A certificate authority, and certificates for 127.0.0.1. They are created unless the directory contains them."""

import datetime
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

NAMES = {
    "good": [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))],
    "wrong-host": [x509.DNSName("elsewhere.test")],
}


def build(name, issuer, key, issuer_key, extension):
    now = datetime.datetime.utcnow()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    builder = (x509.CertificateBuilder().subject_name(name).issuer_name(issuer or name).public_key(key.public_key())
               .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
               .not_valid_after(now + datetime.timedelta(days=2)).add_extension(extension, critical=False))
    return builder.sign(issuer_key, hashes.SHA256())


def write(directory, name, certificate, key):
    (directory / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    path = directory / f"{name}.key"
    path.touch(mode=0o600)
    path.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


def make(directory):
    directory.mkdir(parents=True, exist_ok=True)
    if (directory / "ca.pem").exists():
        return
    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca = build("push oracle", None, ca_key, ca_key, x509.BasicConstraints(ca=True, path_length=None))
    for name, names in NAMES.items():
        key = ec.generate_private_key(ec.SECP256R1())
        write(directory, name, build(name, ca.subject, key, ca_key, x509.SubjectAlternativeName(names)), key)
    write(directory, "ca", ca, ca_key)


def server_context(directory, name, protocols):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(directory / f"{name}.pem", directory / f"{name}.key")
    if protocols:
        context.set_alpn_protocols(protocols)
    return context
