"""Patterns of the edge: where people, devices, partners and existing systems come in."""

from __future__ import annotations

from agents.offline.brief import Brief
from agents.offline.facts import Measure
from agents.offline.load import number, size
from agents.offline.patterns_industry import egress, heavy_video
from agents.offline.patterns_model import Layer, Part, PartSpec, spec
from agents.offline.signals import Signal
from agents.offline.wording import clip, listed


def _entry(b: Brief) -> str:
    load = b.load
    shown = b.front
    where = "two regions" if b.has(Signal.TWO_REGIONS) else f"several zones of {b.region}"
    hold = ""
    if load.times:
        hold = f"; it must take {load.times} the normal load without being resized by hand"
    return f"{shown} over {where}{hold}"


def _private(b: Brief) -> str:
    users = b.crowd if b.load.users else b.people[0].lower()
    return (
        f"{users} on private addresses only, since the request says "
        f"“{b.quote(Signal.SEALED, 'no access from the internet')}”"
    )


def _delivery(b: Brief) -> str:
    who = listed(p.lower() for p in b.people[:2])
    goal = f", which keeps the {b.latency()} goal for what is dynamic" if b.latency() else ""
    if heavy_video(b):
        rate = egress(b)[1]
        return (
            f"video segments to {who}"
            + (f", {rate}" if rate else "")
            + ", each behind a signed link"
        )
    return f"pages, scripts and images to {who}{goal}"


def _api_management(b: Brief) -> str:
    said = b.signals.get(Signal.KEY_QUOTAS, "")
    figures = [f.text for f in b.figures(Measure.THROUGHPUT) if f.sentence and f.sentence in said]
    limits = f" ({listed(figures[:3])})" if figures else ""
    shield = " so that no tenant slows another down" if b.has(Signal.TENANTS) else ""
    return f"each caller by key and enforces the limit of its plan{limits}{shield}"


def _sign_in(b: Brief) -> str:
    said = b.says(r"SAML|OIDC|\bentra\b|active directory|okta|keycloak|single sign-on|SSO")
    how = "against their own identity provider" if said else "with accounts of the solution"
    users = b.crowd if b.load.users else b.people[0].lower()
    return f"{users} {how} and hands the application a verified identity with roles"


def _gateway(b: Brief) -> str:
    load = b.load
    devices = b.fleet or "the devices"
    how = "with their client certificates" if b.has(Signal.OWN_CERTIFICATES) else "with a key each"
    rate = f"; {load.devices.shown}" if load.devices else f"; {b.traffic}"
    burst = f", bursts of {load.peak.shown}" if load.peak else ""
    protocol = " over MQTT with TLS" if b.has(Signal.MQTT) else ""
    return f"{devices}{protocol} {how}{rate}{burst}"


def _collector(b: Brief) -> str:
    load = b.load
    wide = f" ({load.bandwidth(load.top)})" if load.top else ""
    consent = (
        "; what carries no consent is dropped here, before anything is stored"
        if b.says(r"consent")
        else ""
    )
    if b.says(r"IP addresses?"):
        consent += "; IP addresses are shortened here too"
    return f"{b.traffic}{wide} and answers at once, without waiting for what follows{consent}"


def _hybrid(b: Brief) -> str:
    load = b.load
    where = b.facts.current_state[0] if b.facts.current_state else ""
    carries = ""
    if load.stored and load.stored.value:
        hours = load.stored.value * 8 / 1e9 / 3600 / 0.7
        carries = (
            f"; the first copy of {size(load.stored.value)} takes {number(hours)} h at 1 "
            "Gbit/s with "
            f"70 % of it usable ({size(load.stored.value)} x 8 / 0.7 Gbit/s)"
        )
    elif load.nightly and load.nightly.value:
        hours = load.window_hours or 4
        rate = load.nightly_bytes / hours / 3600
        carries = f"; {load.nightly.text} in {number(hours)} h is {size(rate)}/s"
    place = f"today's systems (“{clip(where, 70)}”)" if where else "the systems that stay"
    return f"{place} and the new environment without crossing the open internet{carries}"


def _egress(b: Brief) -> str:
    said = b.quote(Signal.OUTSIDE_CALLS, "calls to outside services")
    closed = " while everything else stays closed" if b.has(Signal.SEALED) else ""
    return (
        f"the few outside services that are needed (“{said}”) by name{closed}, and logs each call"
    )


EDGE: tuple[PartSpec, ...] = (
    spec(
        Part.PUBLIC_ENTRY,
        Layer.EDGE,
        "Public entry and traffic protection",
        "Ends TLS, filters hostile traffic and spreads",
        _entry,
        r"endpoint|https|load balanc|public|front end|DDoS|\bTLS\b|websites?|shop|portal",
        areas="SEC REL PERF",
        nfr=r"availab|TLS|encrypt.*transit|attack|outage|region|\bPCI\b|peak",
    ),
    spec(
        Part.PRIVATE_ENTRY,
        Layer.EDGE,
        "Private entry",
        "Lets in",
        _private,
        r"internal|intranet|private|no internet|browser|handlers?",
        areas="SEC",
        nfr=r"internet|network|isolat|private",
    ),
    spec(
        Part.CONTENT_DELIVERY,
        Layer.EDGE,
        "Edge content delivery",
        "Serves from caches near the reader the",
        _delivery,
        r"images?|pages?|photos?|video|download|static|assets|site|html|stylesheet|playback|watch",
        areas="PERF",
        nfr=r"latency|page load|global|fast",
    ),
    spec(
        Part.API_MANAGEMENT,
        Layer.EDGE,
        "API key and quota control",
        "Recognises",
        _api_management,
        r"API keys?|rate limit|quota|plan|API clients?|developer portal",
        areas="SEC PERF",
        nfr=r"rate limit|quota|tenant",
    ),
    spec(
        Part.SIGN_IN,
        Layer.EDGE,
        "Sign-in and identity",
        "Signs in",
        _sign_in,
        (
            r"sign[- ]?in|log ?in|SAML|OIDC|identity provider|Entra|accounts?|password|roles?|"
            r"permission"
        ),
        areas="SEC",
        nfr=r"identit|access control|authentic|permission|roles?|least privilege",
    ),
    spec(
        Part.DEVICE_GATEWAY,
        Layer.EDGE,
        "Device gateway",
        "Keeps the connections of and authenticates",
        _gateway,
        (
            r"MQTT|devices?|sensors?|units?|telemetry|firmware|certificate|gateway|trailers?|"
            r"meters?|report"
        ),
        areas="SEC PERF",
        nfr=r"certificate|messages|devices|firmware",
    ),
    spec(
        Part.EVENT_COLLECTOR,
        Layer.EDGE,
        "Event collector",
        "Accepts over HTTPS",
        _collector,
        r"events?|clicks?|collect|tag|tracking|page views?|beacon|endpoint|ingest|consent",
        areas="PERF SEC",
        nfr=r"consent|events|loss|endpoint",
    ),
    spec(
        Part.HYBRID_LINK,
        Layer.EDGE,
        "Private link to existing systems",
        "Connects",
        _hybrid,
        r"data cent|on[- ]prem|file server|stays where it is|existing network|VPN|branch|office",
        areas="SEC REL",
        nfr=r"network|private|connect",
    ),
    spec(
        Part.EGRESS,
        Layer.EDGE,
        "Controlled exit to outside services",
        "Reaches",
        _egress,
        r"public API|weather|stripe|payment provider|external|third[- ]party|outside service",
        areas="SEC",
        nfr=r"internet|egress|outbound|isolat",
    ),
)
