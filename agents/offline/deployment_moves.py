"""The steps of a move: the first copy, following changes, the cut-over and the way back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.offline.facts import Measure
from agents.offline.load import number
from agents.offline.signals import Signal
from agents.offline.terraform.design import Design
from agents.offline.terraform.parts import Unit
from agents.offline.wording import clip

Step = tuple[str, tuple[str, ...]]
"""What the step is for, and its commands."""

REAPPLY = (
    '"$EDITOR" terraform.tfvars',
    "terraform plan -out=next.plan && terraform show next.plan | less",
    "terraform apply next.plan",
)
"""A later change: a value that is only given on the command line is lost by the next apply."""


def move(design: Design) -> Iterator[Step]:
    """How what exists today comes over, and when it is switched off."""
    brief, load = design.brief, design.brief.load
    title = design.title
    database = design.one("cloud_sql", "alloydb", "spanner", "oracle")
    today = clip(brief.facts.current_state[0], 100) if brief.facts.current_state else ""
    if load.stored and load.stored.value:
        hours = load.stored.value * 8 / 1e9 / 3600 / 0.7
        yield (
            f"Start the first copy of {load.stored.text} at least two weeks ahead: at 1 Gbit/s "
            f"with 70 % "
            f"of it usable it takes {number(hours)} hours ({load.stored.text} x 8 / 0.7 Gbit/s).",
            _copy(design, database),
        )
    if database is not None:
        source = "Oracle" if brief.has(Signal.ORACLE) else "the source database"
        yield (
            f"Let changes of {source} follow into {database.component} until the lag stays "
            f"below a minute, "
            f"and compare row counts and checksums of every table of the {title} twice.",
            (
                f"gcloud datastream streams list --location={design.region}"
                if design.has("datastream")
                else f"gcloud database-migration migration-jobs list --region={design.region}",
            ),
        )
    single = _words(brief.text, r"(?:on )?(?:a )?single weekend|one cut-over|one weekend|big bang")
    quiet = _words(brief.text, r"(?:no|zero) downtime|without (?:any )?(?:downtime|interruption)")
    if quiet and single:
        yield (
            f"Cut over the {title} in one weekend as the request wants (“{single}”): “{quiet}” "
            "is kept for readers, while writes stop for the minutes of the last catch-up; its "
            "owner has "
            "to accept those minutes or accept a gradual move instead.",
            _switch(design),
        )
    else:
        yield (
            f"Cut over the {title}: stop writing at the old side, wait for the last changes, "
            f"switch the DNS "
            "record whose lifetime was lowered to 60 seconds the day before, and watch errors "
            "for an hour.",
            _switch(design),
        )
    frozen = brief.says(r"nothing (?:may|can) be (?:touched|changed)|freeze|change stop")
    until = next((f.text for f in brief.figures(Measure.DEADLINE)), "")
    when = f" The request sets: “{clip(frozen, 100)}”." if frozen else ""
    old = f" (“{today}”)" if today else ""
    yield (
        f"Keep what runs today{old} ready for the way back for two full days of normal use of the "
        f"{title}, with changes copied back, then switch it "
        f"off.{when}{f' Latest date: {until}.' if until else ''}",
        (),
    )


def _words(text: str, pattern: str) -> str:
    """The words of the request that match, with the three that follow; empty if none do."""
    found = re.search(rf"(?:{pattern})(?:[ ,]+[\w-]+){{0,3}}", text, re.I)
    return found[0] if found else ""


def _copy(design: Design, database: Unit | None) -> tuple[str, ...]:
    if design.has("dms") and database is not None:
        move = f"{design.prefix}-move"
        job = "gcloud database-migration migration-jobs"
        target = f"{design.prefix}-{design.of('dms')[0].slug}-target"
        convert: tuple[str, ...] = ()
        workspace = ""
        if design.brief.has(Signal.ORACLE, Signal.SQL_SERVER) and not design.on_sql_server(
            database
        ):
            # Another engine: the schema is converted and applied before any row is copied.
            space = "gcloud database-migration conversion-workspaces"
            where = f"--region={design.region}"
            origin = "ORACLE" if design.brief.has(Signal.ORACLE) else "SQLSERVER"
            convert = (
                f"{space} create {move}-schema {where} --source-database-engine={origin} "
                "--source-database-version=<version> --destination-database-engine=POSTGRESQL "
                "--destination-database-version=<version>",
                f"{space} seed {move}-schema {where} --source-connection-profile=<source profile>",
                f"{space} convert {move}-schema {where}",
                f"{space} apply {move}-schema {where} --destination-connection-profile={target}",
            )
            workspace = f" --conversion-workspace={move}-schema"
        return (
            *convert,
            f"{job} create {move} --region={design.region} --type=CONTINUOUS "
            f"--source=<source profile> --destination={target}{workspace}",
            f"{job} start {move} --region={design.region}",
        )
    if design.has("datastream"):
        stream = design.of("datastream")[0]
        return (
            f"gcloud datastream streams update {design.prefix}-{stream.slug} "
            f"--location={design.region} --state=RUNNING --update-mask=state",
        )
    if design.has("transfer"):
        return ("gcloud transfer jobs list", 'gcloud transfer jobs run "<job>"')
    return ()


def _switch(design: Design) -> tuple[str, ...]:
    if design.has("dns"):
        return ('"$EDITOR" terraform.tfvars   # dns_ttl = 60, the day before', *REAPPLY[1:])
    return ("terraform output address",) if design.has("load_balancing") else ()
