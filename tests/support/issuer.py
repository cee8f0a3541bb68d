"""An issuer of identity tokens of our own: RS256, X.509 certificates by key id as Google has them.

For tests and for development on one machine. Each process makes its own key.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from google.auth import crypt, jwt


@dataclass
class Issuer:
    """Signs tokens. ``name`` is what they carry as ``iss``."""

    name: str
    key_id: str = "local-1"
    certificate: str = field(init=False)

    def __post_init__(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "local issuer")])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=30))
            .sign(key, hashes.SHA256())
        )
        self.certificate = certificate.public_bytes(serialization.Encoding.PEM).decode()
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        self._signer = crypt.RSASigner.from_string(private, self.key_id)

    def certificates(self) -> dict[str, str]:
        """What the certificates URL answers."""
        return {self.key_id: self.certificate}

    def token(self, email: str, audience: str, /, *, age: float = 0, **claims: object) -> str:
        """A token as the service would mint it ``age`` seconds ago; it lasts an hour.

        ``claims`` override those of the token; None leaves one out.
        """
        issued = int(time.time() - age)
        payload: Mapping[str, object] = {
            "aud": audience,
            "azp": email,
            "email": email,
            "email_verified": True,
            "exp": issued + 3600,
            "iat": issued,
            "iss": self.name,
            "sub": email.partition("@")[0],
        } | claims
        kept = {name: value for name, value in payload.items() if value is not None}
        return jwt.encode(self._signer, kept).decode()
