"""Who calls: the identity token of a request, verified in code as the second layer after IAM.

Cloud Run checks tokens first. Where it does, it hands the token on with its signature removed, so
that no service can replay it; only the claims are left to check then. ``signature_checked`` says
that a door runs behind that check. Without it a token without a signature is refused.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast

import requests
from cachecontrol import CacheControl
from google.auth import jwt, transport
from google.auth.exceptions import GoogleAuthError, TransportError
from google.auth.transport.requests import Request
from google.oauth2 import id_token

GOOGLE_ISSUERS = frozenset({"https://accounts.google.com", "accounts.google.com"})
GOOGLE_CERTS = "https://www.googleapis.com/oauth2/v1/certs"
CLOCK_SKEW_SECONDS = 10
REMOVED_SIGNATURE = "SIGNATURE_REMOVED_BY_GOOGLE"


class CallerError(Exception):
    """The caller is not let in. ``status`` is the HTTP status to answer."""

    status: ClassVar[int]


class Unauthenticated(CallerError):
    """No token, or one that proves nothing here: malformed, forged, expired, for others."""

    status = 401


class Forbidden(CallerError):
    """The caller is known and has no business here."""

    status = 403


class CertificatesUnavailable(CallerError):
    """The issuer's certificates cannot be had now; the same call may succeed later."""

    status = 503


@dataclass(frozen=True, slots=True)
class Caller:
    """A verified identity."""

    email: str
    subject: str
    issuer: str


@dataclass(frozen=True, slots=True)
class CallerRules:
    """Whom a door lets in.

    ``audiences`` are the names that tokens for this door may carry. ``emails`` are those allowed,
    None for everybody whose address the issuer has verified.
    """

    audiences: frozenset[str]
    emails: frozenset[str] | None
    issuers: frozenset[str] = GOOGLE_ISSUERS
    signature_checked: bool = False

    def __post_init__(self) -> None:
        if not self.audiences or "" in self.audiences:
            raise ValueError("a door needs an audience, else tokens for other services open it")


class Certificates:
    """An issuer's certificates, kept for as long as the issuer allows.

    ``url`` answers a JSON object of X.509 certificates in PEM by key id. (For a JSON Web Key Set
    the library would leave the clock skew out of account.)
    """

    def __init__(self, url: str = GOOGLE_CERTS, seconds: float = 5.0) -> None:
        self.url = url
        self._session = CacheControl(requests.Session())
        # Called with an address only; without a limit of its own the library waits two minutes.
        self.request = cast(
            transport.Request, partial(Request(session=self._session), timeout=seconds)
        )

    def close(self) -> None:
        """Close the connections."""
        self._session.close()


async def verify(
    authorization: str | None, rules: CallerRules, certificates: Certificates
) -> Caller:
    """The caller of a request, from its Authorization header.

    Raises Unauthenticated, Forbidden or CertificatesUnavailable; their messages hold no token.
    """
    scheme, _, token = (authorization or "").strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated("the request carries no identity token")
    if token.rpartition(".")[2] == REMOVED_SIGNATURE:
        claims = _without_signature(token, rules)
    else:
        # Fetching certificates blocks, so it must not hold up the event loop.
        claims = await asyncio.to_thread(_with_signature, token, rules, certificates)
    return _admit(claims, rules)


def _with_signature(
    token: str, rules: CallerRules, certificates: Certificates
) -> Mapping[str, Any]:
    try:
        claims: Mapping[str, Any] = id_token.verify_token(
            token,
            certificates.request,
            audience=list(rules.audiences),
            certs_url=certificates.url,
            clock_skew_in_seconds=CLOCK_SKEW_SECONDS,
        )
    except TransportError as error:
        raise CertificatesUnavailable(
            f"the certificates of the issuer cannot be fetched from {certificates.url}"
        ) from error
    except (GoogleAuthError, ValueError, TypeError) as error:
        raise Unauthenticated("the identity token is not valid here") from error
    return claims


def _without_signature(token: str, rules: CallerRules) -> Mapping[str, Any]:
    if not rules.signature_checked:
        raise Unauthenticated(
            "the identity token carries no signature; where Cloud Run checks tokens, set "
            "the door up to rely on that"
        )
    try:
        unsigned = f"{token.rpartition('.')[0]}."
        claims: Mapping[str, Any] = jwt.decode(unsigned, verify=False)  # type: ignore[no-untyped-call]
        if not isinstance(claims, Mapping):
            raise TypeError("the claims are no object")
        now = time.time()
        early = now < float(claims["iat"]) - CLOCK_SKEW_SECONDS
        late = now > float(claims["exp"]) + CLOCK_SKEW_SECONDS
        elsewhere = claims.get("aud") not in list(rules.audiences)
    except (GoogleAuthError, ValueError, TypeError, KeyError) as error:
        raise Unauthenticated("the identity token is not valid here") from error
    if early or late or elsewhere:
        raise Unauthenticated("the identity token is not valid here")
    return claims


def _admit(claims: Mapping[str, Any], rules: CallerRules) -> Caller:
    issuer, email, subject = (claims.get(name) for name in ("iss", "email", "sub"))
    if not isinstance(issuer, str) or issuer not in rules.issuers:
        raise Unauthenticated(f"tokens of the issuer {issuer!r} are not taken here")
    if not isinstance(email, str) or not email or claims.get("email_verified") is not True:
        raise Forbidden("the token holds no verified e-mail address")
    if rules.emails is not None and email not in rules.emails:
        raise Forbidden(f"{email} may not call this")
    return Caller(email, str(subject or ""), issuer)
