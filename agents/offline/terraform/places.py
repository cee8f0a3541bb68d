"""Where things can stand: regions, their neighbours for recovery, and wider locations."""

from __future__ import annotations

PARTNERS: dict[str, str] = {
    # A second region of the same country where there is one, else of the same union.
    "europe-west3": "europe-west10",
    "europe-west10": "europe-west3",
    "europe-west8": "europe-west12",
    "europe-west12": "europe-west8",
    "europe-north1": "europe-north2",
    "europe-north2": "europe-north1",
    "europe-west1": "europe-west4",
    "europe-west4": "europe-west1",
    "europe-west9": "europe-west1",
    "europe-southwest1": "europe-west9",
    "europe-central2": "europe-west3",
    "europe-west2": "europe-west1",
    "europe-west6": "europe-west3",
    "northamerica-northeast1": "northamerica-northeast2",
    "northamerica-northeast2": "northamerica-northeast1",
    "us-central1": "us-east1",
    "us-east1": "us-central1",
    "us-east4": "us-central1",
    "us-east5": "us-central1",
    "us-south1": "us-central1",
    "us-west1": "us-central1",
    "us-west2": "us-west1",
    "us-west3": "us-west1",
    "us-west4": "us-west1",
    "asia-northeast1": "asia-northeast2",
    "asia-northeast2": "asia-northeast1",
    "asia-south1": "asia-south2",
    "asia-south2": "asia-south1",
    "australia-southeast1": "australia-southeast2",
    "australia-southeast2": "australia-southeast1",
    "asia-southeast1": "asia-southeast2",
    "asia-southeast2": "asia-southeast1",
    "asia-east1": "asia-east2",
    "asia-east2": "asia-east1",
    "southamerica-east1": "southamerica-west1",
}
# fmt: off
_COUNTRY: dict[str, str] = {
    "europe-west3": "Germany", "europe-west10": "Germany", "europe-west8": "Italy",
    "europe-west12": "Italy", "europe-north1": "Finland", "europe-north2": "Sweden",
    "europe-west1": "Belgium", "europe-west4": "the Netherlands", "europe-west9": "France",
    "europe-southwest1": "Spain", "europe-central2": "Poland", "europe-west2": "the UK",
    "europe-west6": "Switzerland", "northamerica-northeast1": "Canada",
    "northamerica-northeast2": "Canada", "asia-northeast1": "Japan", "asia-northeast2": "Japan",
    "asia-south1": "India", "asia-south2": "India", "australia-southeast1": "Australia",
    "australia-southeast2": "Australia", "asia-northeast3": "South Korea",
    "asia-southeast1": "Singapore", "asia-southeast2": "Indonesia", "me-west1": "Israel",
    "southamerica-east1": "Brazil", "southamerica-west1": "Chile",
}
# fmt: on
# fmt: off
_EU = {
    "europe-west1", "europe-west3", "europe-west4", "europe-west8", "europe-west9",
    "europe-west10", "europe-west12", "europe-north1", "europe-north2", "europe-central2",
    "europe-southwest1",
}
# fmt: on
# fmt: off
LOW_CARBON = {
    # Regions that the provider marks as low in carbon in its table of regions.
    "europe-north1", "europe-north2", "europe-west6", "europe-west9", "europe-southwest1",
    "europe-west1", "europe-west2", "northamerica-northeast1", "northamerica-northeast2",
    "us-central1", "us-west1", "southamerica-east1", "southamerica-west1", "us-south1",
}
# fmt: on
_SPANNER_PAIRS = {
    # Two regions that hold full copies and vote, with the base configuration that has them.
    frozenset({"europe-west3", "europe-west10"}): "dual-region-germany1",
    frozenset({"asia-northeast1", "asia-northeast2"}): "dual-region-japan1",
    frozenset({"asia-south1", "asia-south2"}): "dual-region-india1",
    frozenset({"australia-southeast1", "australia-southeast2"}): "dual-region-australia1",
    frozenset({"europe-west1", "europe-west4"}): "eur3",
    frozenset({"europe-west1", "europe-west2"}): "eur5",
    frozenset({"europe-west3", "europe-west4"}): "eur6",
    frozenset({"us-east1", "us-east4"}): "nam3",
    frozenset({"us-central1", "us-east4"}): "nam7",
    frozenset({"us-west1", "us-west2"}): "nam8",
    frozenset({"us-central1", "us-west3"}): "nam10",
    frozenset({"us-central1", "us-east1"}): "nam11",
}


def partner(region: str) -> str | None:
    """The region that a copy goes to when none was named; None where there is no good one."""
    return PARTNERS.get(region)


def country(region: str) -> str:
    """The country of a region, or of the union or continent where several share a name."""
    if region.startswith("us-"):
        return "the USA"
    return _COUNTRY.get(region, region)


def same_jurisdiction(first: str, second: str) -> bool:
    """Whether both regions are in one country, or both in the EU."""
    return country(first) == country(second) or {first, second} <= _EU


def spanner_config(region: str, second: str | None) -> tuple[str, bool]:
    """The instance configuration, and whether it survives the loss of a region."""
    if second and (found := _SPANNER_PAIRS.get(frozenset({region, second}))):
        return found, True
    return f"regional-{region}", False


def spanner_partner(region: str) -> str | None:
    """The second region with which a multi-region instance configuration exists, if one does.

    A partner in the same country comes before one in the same union; none abroad is offered.
    """
    others = [next(iter(p - {region})) for p in _SPANNER_PAIRS if region in p]
    near = [o for o in others if same_jurisdiction(region, o)]
    near.sort(key=lambda o: (country(o) != country(region), o != PARTNERS.get(region)))
    return next(iter(near), None)


def dual_region_code(region: str, second: str) -> str | None:
    """The location code of a bucket that stands in exactly these two regions, if one can."""
    if {region, second} <= _EU:
        return "EU"
    for prefix, code in (
        ("us-", "US"),
        ("asia-", "ASIA"),
        ("northamerica-northeast", "CA"),
        ("australia-", "AU"),
        ("asia-south", "IN"),
    ):
        if region.startswith(prefix) and second.startswith(prefix):
            return code
    return None


def wide_location(region: str) -> str:
    """The location of a region in APIs that know only ``eu``, ``us`` and ``global``."""
    if region.startswith("europe-"):
        return "eu"
    return "us" if region.startswith(("us-", "northamerica-")) else "global"


def in_eu(region: str) -> bool:
    """Whether the region lies in the European Union."""
    return region in _EU
