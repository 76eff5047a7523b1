"""Compact JSON Web Tokens with ES256 (RFC 7515, RFC 7518), read strictly."""

import base64
import hashlib
import json
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature


class Refused(Exception):
    pass


def decode64(text):
    """Decodes base64url. Refuses padding and unused bits that are not zero."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text) or len(text) % 4 == 1:
        raise Refused("not base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encode64(data) != text:
        raise Refused("base64url with left-over bits")
    return data


def encode64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def public_key(point):
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError as error:
        raise Refused("not a point on P-256") from error


def parse(text):
    """Returns (header, claims, signed bytes, signature). Verifies only the form."""
    parts = text.split(".")
    if len(parts) != 3:
        raise Refused("not three parts")
    try:
        header, claims = json.loads(decode64(parts[0])), json.loads(decode64(parts[1]))
    except ValueError as error:
        raise Refused("not JSON") from error
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise Refused("not objects")
    if header.get("alg") != "ES256":
        raise Refused("alg is not ES256")
    signature = decode64(parts[2])
    if len(signature) != 64:
        raise Refused(f"the signature has {len(signature)} bytes: r and s are 64")
    return header, claims, f"{parts[0]}.{parts[1]}".encode(), signature


def verify(key, signed, signature):
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature as error:
        raise Refused("the signature is not the key's") from error


def fingerprint(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]
