"""The validation plan: commands that a person runs after the apply, with the request's targets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from agents.offline.facts import Measure, Workload
from agents.offline.load import aim, duration, number
from agents.offline.pillars.values import values_of
from agents.offline.signals import Signal
from agents.offline.terraform.design import Design
from agents.offline.validation_use import Test, hosted, use
from agents.offline.wording import clip, listed


def plan_of(design: Design, defaults: Mapping[str, str]) -> list[str]:
    """The tests as Markdown lines, numbered."""
    region = defaults.get("region", design.region)
    if design.hosted and design.brief.tiny:
        return _numbered(design, [*hosted(design)])
    tests = [
        *_code(design, region),
        *_security(design, region),
        *_load(design),
        *_recovery(design, region, defaults.get("second_region")),
        *_data(design, region, defaults),
        *use(design),
        *_watch(design),
    ]
    return _numbered(design, tests)


def _numbered(design: Design, tests: Sequence[Test]) -> list[str]:
    window = next((c.quote for c in design.adjust.unapplied), "")
    lines: list[str] = []
    for position, (text, commands) in enumerate(tests, 1):
        if position == 1 and window:
            text += f" Drills take place as answered: “{clip(window, 90)}”."
        lines.append(f"{position}. {text}")
        if commands:
            lines += ["", "   ```bash", *(f"   {c}" for c in commands), "   ```", ""]
    return lines


def _code(design: Design, region: str) -> Iterator[Test]:
    title = design.title
    yield (
        f"The code and the project of the {title} agree: a second plan answers 0 (nothing to "
        f"change).",
        ("cd terraform && terraform plan -detailed-exitcode",),
    )
    places = " ".join(f"AND NOT location:{r}" for r in dict.fromkeys((region, *design.regions[1:])))
    yield (
        f"Nothing of the {title} with a region stands outside "
        f"{listed(dict.fromkeys((region, *design.regions[1:])))}: "
        "the list holds global resources only.",
        (
            'gcloud asset search-all-resources --scope="projects/$PROJECT_ID" '
            f"--query='NOT location:global {places}' "
            f"--format='table(assetType,location,displayName)'",
        ),
    )


def _security(design: Design, region: str) -> Iterator[Test]:
    title = design.title
    yield (
        f"No basic role and no public member in the project of the {title}: both lists are empty"
        + (" but for the site's readers." if design.public_files and design.public else "."),
        (
            'gcloud projects get-iam-policy "$PROJECT_ID" --flatten=bindings[] '
            "--filter='bindings.role:(roles/owner roles/editor)' "
            "--format='value(bindings.members)'",
            'gcloud asset search-all-iam-policies --scope="projects/$PROJECT_ID" '
            "--query='memberTypes:(allUsers OR allAuthenticatedUsers)'",
        ),
    )
    sql = design.one("cloud_sql")
    if sql:
        yield (
            f"{sql.component} has no public address and "
            + ("a standby in a second zone" if design.ha else "no standby, as designed")
            + ": ipv4Enabled is False and availabilityType is "
            f"{'REGIONAL' if design.ha else 'ZONAL'}.",
            (
                f"gcloud sql instances describe {design.prefix}-{sql.slug} --format="
                "'value(settings.ipConfiguration.ipv4Enabled,settings.availabilityType)'",
            ),
        )
    if design.cmek:
        yield (
            f"Every store of the {title} uses a key of its own in {region}"
            + (", held in hardware (HSM)." if design.hsm else "."),
            (
                f"gcloud kms keys list --location={region} --keyring={design.prefix}-prod "
                "--format='table(name.basename(),primary.protectionLevel,rotationPeriod)'",
            ),
        )
    if design.audited:
        yield (
            f"Reading leaves a trace: read one record of the {title} and find your own address "
            f"in the log "
            "within 5 minutes.",
            (
                "gcloud logging read 'logName:data_access' --freshness=10m --limit=5 "
                "--format='value(protoPayload.authenticationInfo.principalEmail,protoPayload.methodName)'",
            ),
        )
    if design.sealed:
        said = design.brief.quote(Signal.SEALED)
        yield (
            f"From a machine inside, nothing outside answers (“{said}”): both calls of the "
            f"{title}'s test end "
            "in a timeout.",
            ("curl --max-time 10 https://example.com", "curl --max-time 10 http://1.1.1.1"),
        )
    elif design.exposed:
        first = design.exposed[0]
        yield (
            f"{first.component} cannot be reached past the load balancer: its own address "
            f"answers 404.",
            (
                f"curl -s -o /dev/null -w '%{{http_code}}\\n' \"$(gcloud run services describe "
                f"{design.prefix}-{first.slug} --region={region} --format='value(status.url)')\"",
            )
            if first.module.key == "cloud_run"
            else (),
        )


def _load(design: Design) -> Iterator[Test]:
    if design.brief.tiny:
        yield (
            f"Ten people at once use the {design.title} for 2 minutes: every call answers and none "
            "takes longer than 2 seconds. More than that its use does not call for.",
            ("oha -z 2m -c 10 -q 5 https://$DOMAIN/",),
        )
        return
    load, title = design.brief.load, design.title
    rate, slow = design.size.rate, design.size.latency
    per_second = max(math.ceil(rate.value), 1) if rate else 0
    speed = (
        f"95 % of answers come within {duration(slow.value)}"
        if slow and slow.value
        else ("latency stays flat over the 30 minutes")
    )
    goal = design.goal(Measure.AVAILABILITY)
    kept = (
        f" and errors stay below {number(round(100 - goal.value, 6))} %"
        if (goal and goal.value)
        else " and fewer than 0.5 % fail"
    )
    if rate and design.services:
        yield (
            f"Load test of the {title} at {rate.shown} for 30 minutes, then at half as much "
            f"again: {speed}"
            f"{kept}.",
            (
                f"oha -z 30m -q {per_second} --latency-correction https://$DOMAIN/",
                f"oha -z 10m -q {math.ceil(per_second * 1.5)} --latency-correction https://$DOMAIN/",
            ),
        )
    topic = design.one("pubsub")
    messages = design.size.messages
    if topic and messages and design.has("dataflow", "bigquery", "bigtable"):
        size = load.message.text if load.message else "1 kB"
        yield (
            f"Message test: {messages.shown} of {size} each into {topic.component} for 30 "
            f"minutes from a "
            "streaming data generator; no message is lost, counted by id at both ends.",
            (
                f"gcloud pubsub topics describe {design.prefix}-{topic.slug}",
                f"gcloud monitoring policies list --filter='displayName:{design.prefix}'",
            ),
        )


def _goal(design: Design, measure: Measure) -> str:
    """A recovery goal in words; empty if there is none or if it is nothing at all."""
    figure = design.goal(measure)
    return aim(figure) if figure and figure.value is not None else ""


def _recovery(design: Design, region: str, second: str | None) -> Iterator[Test]:
    title = design.title
    rto = _goal(design, Measure.RTO)
    rpo = _goal(design, Measure.RPO)
    sql = design.one("cloud_sql")
    if sql and design.ha:
        limit = f"; the stop counts against {rto}" if rto else ""
        yield (
            f"Zone drill: force a failover of {sql.component} and measure the seconds until the "
            f"{title} writes "
            f"again{limit}; more than 3 minutes is a finding.",
            (f"time gcloud sql instances failover {design.prefix}-{sql.slug} --quiet",),
        )
    if sql and second:
        yield (
            f"Region drill in a test project: promote the replica of {sql.component} in "
            f"{second} and measure "
            f"until the {title} answers from there{f'; passed below {rto}' if rto else ''}"
            f"{f', with at most {rpo} of data missing' if rpo else ''}.",
            (
                f"gcloud sql instances promote-replica {design.prefix}-{sql.slug}-replica",
                f"gcloud sql instances describe {design.prefix}-{sql.slug}-replica "
                "--format='value(state,instanceType,region)'",
            ),
        )
    if sql:
        yield (
            f"Restore drill: clone {sql.component} to 10 minutes ago and compare row counts"
            f"{f'; passed when at most {rpo} is missing' if rpo else ''}"
            f"{f' and the clone stands within {rto}' if rto else ''}.",
            (
                f"gcloud sql instances clone {design.prefix}-{sql.slug} {design.prefix}-drill "
                "--point-in-time=\"$(date -u -d '10 minutes ago' +%FT%TZ)\"",
                f"gcloud sql instances delete {design.prefix}-drill",
            ),
        )
    alloy = design.one("alloydb")
    if alloy:
        yield (
            f"Zone drill: fail {alloy.component} over and measure until the {title} writes again"
            f"{f'; it counts against {rto}' if rto else ''}.",
            (
                f"gcloud alloydb instances failover primary --cluster={design.prefix}-{alloy.slug} "
                f"--region={region}",
            ),
        )
    bigtable = design.one("bigtable")
    if bigtable and (design.ha or second):
        yield (
            f"Cluster drill: route all reads of {bigtable.component} to the second cluster and "
            f"compare the "
            f"newest row of ten entities{f'; it counts against {rto}' if rto else ''}.",
            (f"gcloud bigtable clusters list --instances={design.prefix}-{bigtable.slug}",),
        )
    for key, command in (
        ("firestore", "gcloud firestore backups list --location={region}"),
        ("spanner", "gcloud spanner backups list --instance={name}"),
    ):
        unit = design.one(key)
        if unit:
            yield (
                f"Restore drill: restore the newest backup of {unit.component} beside the "
                f"original and compare "
                f"counts{f'; at most {rpo} may be missing' if rpo else ''}.",
                (command.format(region=region, name=f"{design.prefix}-{unit.slug}"),),
            )
    unit = next((u for u in design.exposed if u.module.key == "cloud_run"), None)
    if second and unit:
        yield (
            f"Edge drill: take {unit.component} out of service in {region} and see that "
            f"{second} answers"
            f"{f' within {rto}' if rto else ''}, with its load alone; the next apply puts "
            f"{region} back.",
            (
                f"gcloud compute backend-services remove-backend {design.prefix}-{unit.slug} "
                f"--global "
                f"--network-endpoint-group={design.prefix}-{unit.slug} "
                f"--network-endpoint-group-region={region}",
                "curl -s -o /dev/null -w '%{http_code} %{time_total}\\n' https://$DOMAIN/",
            ),
        )
    if rto and not sql and not alloy and not bigtable and not second:
        yield (
            f"Rebuild drill: apply the Terraform of the {title} to an empty test project and "
            f"bring the data "
            f"back; passed below {rto}.",
            ('time terraform apply -var="project_id=$TEST_PROJECT_ID"',),
        )


def _data(design: Design, region: str, defaults: Mapping[str, str]) -> Iterator[Test]:
    brief, load, title = design.brief, design.brief.load, design.title
    topic = design.one("pubsub")
    if topic:
        days = design.size.replay_days
        yield (
            f"Replay: set a test subscription of {topic.component} back by an hour and see the "
            f"messages again; "
            f"{days.value} days have to be possible ({days.why}).",
            (
                f"gcloud pubsub subscriptions create {design.prefix}-drill "
                f"--topic={design.prefix}-{topic.slug}",
                f"gcloud pubsub subscriptions seek {design.prefix}-drill "
                "--time=\"$(date -u -d '1 hour ago' +%FT%TZ)\"",
            ),
        )
    warehouse = design.one("bigquery")
    if warehouse:
        dataset = f"{design.prefix}_{warehouse.name}".replace("-", "_")
        table = f"{dataset}.{defaults.get(f'{warehouse.name}_table', 'facts')}"
        yield (
            f"Cost of a question: a typical query on {warehouse.component} reads less than "
            f"{number(design.size.scan_gb.value)} GB, and one without a partition filter is "
            f"refused.",
            (
                # A command for a person: its names are slugs, never the user's words.
                "bq query --dry_run --use_legacy_sql=false "  # noqa: S608
                f"'SELECT COUNT(*) FROM {table} WHERE "
                "occurred_at > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)'",
            ),
        )
        if brief.has(Signal.PERSONAL):
            yield (
                f"Masking: an analyst of the {title} without the clear-text role sees hashes in "
                f"the personal "
                "columns, a member of the small group sees values.",
                (f"bq show --format=prettyjson {table}",),
            )
    for bucket in design.of("storage"):
        locked = design.size.locked_days(bucket)
        if locked is None:
            continue
        yield (
            f"A record cannot be deleted: deleting a test object of {bucket.component} is "
            f"refused before "
            f"{number(locked.value)} days are over.",
            (f"gcloud storage rm gs://$PROJECT_ID-{bucket.slug}/retention-test.txt",),
        )
    if load.nightly and design.has("composer", "workflows", "scheduler", "dataform", "bigquery"):
        window = f" within {number(load.window_hours)} hours" if load.window_hours else ""
        yield (
            f"Night test: load {load.nightly.text}{window} three nights in a row with the full "
            f"amount, stop one "
            "step by hand, and see that the person on duty is paged within 5 minutes.",
            (
                f"gcloud workflows executions list "
                f"{design.prefix}-{design.of('workflows')[0].slug} "
                f"--location={region}",
            )
            if design.has("workflows")
            else (),
        )
    fresh = next(iter(brief.figures(Measure.FRESHNESS)), None)
    if fresh:
        yield (
            f"Freshness: send a marked event or document into the {title} and measure until it "
            f"can be seen; "
            f"passed within {fresh.text} in 19 of 20 tries.",
            ("date -u +%FT%T.%3NZ",),
        )
    if brief.works(Workload.MIGRATION):
        stored = f" over {load.stored.text}" if load.stored else ""
        yield (
            f"Move: row counts and checksums of every table agree between the old side and the "
            f"{title}{stored} "
            "in two rehearsals before the cut-over.",
            ("diff old-counts.csv new-counts.csv",),
        )


def _watch(design: Design) -> Iterator[Test]:
    title = design.title
    yield (
        f"Alerts reach a person: close the health path of the {title} for 3 minutes in a test, "
        f"and the mail "
        "arrives within 5.",
        (
            f"gcloud monitoring policies list --filter='displayName:{design.prefix}' "
            "--format='table(displayName,enabled)'",
        ),
    )
    if design.budget_units:
        shown = values_of(design)["budget"]
        yield (
            f"The budget of {shown} exists and warns at 50, 80 and 100 %; a week of real use "
            f"times 4.3 stays "
            f"below {number(design.budget_units)} "
            f"{design.adjust.budget_currency or design.currency}.",
            ('gcloud billing budgets list --billing-account="$BILLING_ACCOUNT"',),
        )
