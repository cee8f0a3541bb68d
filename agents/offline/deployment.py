"""Writes deployment_guidance: what a person needs, what a person runs, and the Terraform."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agents.offline.adjustments import visible
from agents.offline.deployment_steps import steps_of
from agents.offline.draft import Draft
from agents.offline.facts import Facts
from agents.offline.pillars.writer import MARKER
from agents.offline.signals import Signal
from agents.offline.terraform import places
from agents.offline.terraform.design import Design
from agents.offline.terraform.reading import design_of
from agents.offline.terraform.render import (
    TERRAFORM_VERSION,
    addresses,
    inputs_of,
    render,
    resource_types,
)
from agents.offline.terraform.services import services_of
from agents.offline.wording import listed
from agents.runtime import AgentTask, Attachment, Question
from engine.deliverables import Kind
from providers.catalogue import Catalogue

_ROLES: tuple[tuple[str, str], ...] = (
    # What the person who applies needs, by what the resources are; no basic roles.
    ("google_access_context_manager", "roles/accesscontextmanager.policyAdmin"),
    ("google_alloydb", "roles/alloydb.admin"),
    ("google_apigee", "roles/apigee.admin"),
    ("google_artifact_registry", "roles/artifactregistry.admin"),
    ("google_backup_dr", "roles/backupdr.admin"),
    ("google_bigquery", "roles/bigquery.admin"),
    ("google_bigtable", "roles/bigtable.admin"),
    ("google_billing_budget", "roles/billing.costsManager on the billing account"),
    ("google_certificate_manager", "roles/certificatemanager.owner"),
    ("google_cloud_run", "roles/run.admin"),
    ("google_cloud_scheduler", "roles/cloudscheduler.admin"),
    ("google_cloud_tasks", "roles/cloudtasks.admin"),
    ("google_cloudbuild", "roles/cloudbuild.builds.editor"),
    ("google_clouddeploy", "roles/clouddeploy.admin"),
    ("google_cloudfunctions2", "roles/cloudfunctions.admin"),
    ("google_composer", "roles/composer.admin"),
    ("google_compute_security_policy", "roles/compute.securityAdmin"),
    ("google_compute", "roles/compute.admin"),
    ("google_container", "roles/container.admin"),
    ("google_database_migration", "roles/datamigration.admin"),
    ("google_dataflow", "roles/dataflow.admin"),
    ("google_dataform", "roles/dataform.admin"),
    ("google_dataplex", "roles/dataplex.admin"),
    ("google_dataproc", "roles/dataproc.admin"),
    ("google_datastream", "roles/datastream.admin"),
    ("google_discovery_engine", "roles/discoveryengine.admin"),
    ("google_dns", "roles/dns.admin"),
    ("google_document_ai", "roles/documentai.admin"),
    ("google_eventarc", "roles/eventarc.admin"),
    ("google_firestore", "roles/datastore.owner"),
    ("google_kms", "roles/cloudkms.admin"),
    ("google_logging", "roles/logging.configWriter"),
    ("google_managed_kafka", "roles/managedkafka.admin"),
    ("google_memorystore", "roles/memorystore.admin"),
    ("google_monitoring", "roles/monitoring.admin"),
    ("google_network_services", "roles/networkservices.admin"),
    ("google_project_iam", "roles/resourcemanager.projectIamAdmin"),
    ("google_project_service", "roles/serviceusage.serviceUsageAdmin"),
    ("google_pubsub", "roles/pubsub.admin"),
    ("google_secret_manager", "roles/secretmanager.admin"),
    ("google_service_account", "roles/iam.serviceAccountAdmin"),
    ("google_service_networking", "roles/servicenetworking.networksAdmin"),
    ("google_spanner", "roles/spanner.admin"),
    ("google_sql", "roles/cloudsql.admin"),
    ("google_storage_transfer", "roles/storagetransfer.admin"),
    ("google_storage", "roles/storage.admin"),
    ("google_vertex_ai", "roles/aiplatform.admin"),
    ("google_workflows", "roles/workflows.admin"),
)


def draft_deployment(
    task: AgentTask, facts: Facts, documents: Mapping[Kind, str], catalogue: Catalogue
) -> Draft:
    """Guidance for a person, and Terraform for the selection with sizes from the figures."""
    design = design_of(task, facts, documents)
    files = render(design)
    notes = _notes(design)
    lines = ["## Prerequisites", ""]
    lines += [f"- {line}" for line in _prerequisites(design, files)]
    lines += ["", "## Steps", ""]
    lines += [
        f"The commands below are run by a person with the roles above; this system has planned "
        f"the {design.title} and changes nothing in any cloud.",
    ]
    if notes:
        lines += ["", *(f"- {note}" for note in notes)]
    lines += ["", *steps_of(design, files), "", MARKER, ""]
    return Draft(
        content="\n".join(lines), attachments=files, questions=tuple(_questions(design, files))
    )


def roles_for(files: tuple[Attachment, ...]) -> tuple[str, ...]:
    """The roles that the person needs who applies these files, once each."""
    found: dict[str, None] = {}
    for kind in resource_types(files):
        role = next((r for prefix, r in _ROLES if kind.startswith(prefix)), None)
        if role:
            found.setdefault(role)
    return tuple(sorted(found))


def _prerequisites(design: Design, files: tuple[Attachment, ...]) -> Iterator[str]:
    title = design.title
    if design.hosted and design.brief.tiny:
        yield (
            "A Google Cloud project with billing switched on, and a computer with Node.js, the "
            "Firebase command line and, for the budget alarm only, Terraform "
            f"{TERRAFORM_VERSION.split(',')[0].removeprefix('>= ')} or later."
        )
        yield (
            "For the person who publishes: `roles/firebasehosting.admin`. For the person who "
            f"creates the budget alarm: {', '.join(f'`{r}`' for r in roles_for(files))}."
        )
        yield "The name and password of the account at the registrar that holds the domain."
        values = [f"`{n}`" for n, _, secret in inputs_of(files) if not secret]
        if values:
            yield f"Values for terraform.tfvars: {', '.join(values)}."
        return
    services = services_of(resource_types(files), design)
    yield (
        f"A project for the {title} in the organisation, with billing, and nothing else in it: its "
        f"Terraform declares {len(addresses(files))} resources in {listed(design.regions)}."
    )
    yield (
        f"Terraform {TERRAFORM_VERSION.split(',')[0].removeprefix('>= ')} or later, the Google "
        f"Cloud CLI, "
        f"and a bucket for the state of the {title} outside the application's own buckets."
    )
    yield (
        f"For the person who applies the {title}, on its project: "
        f"{', '.join(f'`{r}`' if ' ' not in r else _role(r) for r in roles_for(files))}."
    )
    yield (
        f"{len(services)} services, which the Terraform enables itself: "
        f"{', '.join(f'`{s}`' for s in services)}."
    )
    inputs = inputs_of(files)
    plain = [f"`{n}` ({d.rstrip('.')})" for n, d, secret in inputs if not secret]
    if plain:
        yield f"Values that only the people of the {title} know: {'; '.join(plain)}."
    secrets = [f"`TF_VAR_{n}`" for n, _, secret in inputs if secret]
    if secrets:
        yield (
            f"Secrets for the {title}, given in the environment and never in a file: "
            f"{', '.join(secrets)}."
        )
    if design.has("load_balancing", "media_cdn", "certificates") and not design.sealed:
        yield f"Control over the DNS zone of the name under which the {title} will be reached."
    if design.has("vpn", "interconnect", "datastream", "dms"):
        yield (
            f"From the network team of the existing systems: an address range that does not "
            f"overlap "
            f"{design.adjust.cidr or '10.10.0.0/20'}, and the far end of the private connection of "
            f"the {title}."
        )
    if design.cmek:
        yield (
            f"A decision by the data owner on who may disable keys of the {title}, since a "
            f"disabled key "
            "stops every reading of its data."
        )
    for unit in design.units:
        if unit.module.by_hand:
            yield f"{unit.product} for {unit.component}: {unit.module.by_hand}."
    if design.unknown:
        yield (
            f"{listed(design.unknown)} of the selection has no Terraform here and is set up by "
            f"hand "
            f"for the {title}."
        )


def _role(text: str) -> str:
    role, _, rest = text.partition(" ")
    return f"`{role}` {rest}"


def _notes(design: Design) -> list[str]:
    """What changed by answers and feedback, and what of it deserves a warning."""
    notes = visible(design.adjust.changes)
    first = design.facts.regions[0] if design.facts.regions else None
    chosen = design.adjust.region
    if chosen and first and chosen != first:
        warn = (
            f"The earlier Deliverables still name {first}: reopen the requirements if {chosen} is "
            f"meant for the whole {design.title}"
        )
        if design.brief.has(Signal.RESIDENCY) and not places.same_jurisdiction(first, chosen):
            said = design.brief.quote(Signal.RESIDENCY)
            warn += (
                f", and note that {chosen} lies in {places.country(chosen)} while the request says "
                f"“{said}”"
            )
        notes.append(warn + ".")
    second = design.second_region
    abroad = [r for r in design.regions_named if r not in design.regions]
    if second and abroad and not places.same_jurisdiction(design.region, abroad[0]):
        notes.append(
            f"{abroad[0]} is named as well, but data of the {design.title} may not follow there "
            f"(“{design.brief.quote(Signal.RESIDENCY, 'data must stay where it is')}”): the second "
            f"region of this Terraform is {second}."
        )
    if second and not places.same_jurisdiction(design.region, second):
        notes.append(
            f"The second region {second} lies in {places.country(second)} and not in "
            f"{places.country(design.region)}: the data owner of the {design.title} has to "
            "agree before anything is copied there."
        )
    if gap := design.spanner_gap:
        notes.append(f"{gap}: decide on another pair of regions, or accept a restore from backups.")
    if stays := _stays(design):
        notes.append(
            f"{listed(stays)} stand in {design.region} alone: after the loss of that region they "
            f"have to be created in {second} by an apply with `region` changed, and what they held "
            "and had not passed on is gone. What needs them waits for that, whatever the recovery "
            "goal of the databases."
        )
    if re.search(r"\bconsent\b", design.brief.text, re.I) and design.has("pubsub"):
        notes.append(
            "What has no consent must be dropped by the service that receives it, before it is "
            "published: a topic and a raw bucket store what they are sent, and a job behind them "
            "comes too late."
        )
    return notes


def _stays(design: Design) -> tuple[str, ...]:
    """Components that a second region does not hold, where the loss of one is to be survived."""
    if not design.second_region:
        return ()
    single = design.of(
        "kafka", "memorystore", "redis", "vpn", "interconnect", "compute", "dataflow"
    )
    return tuple(dict.fromkeys(f"{u.component} ({u.product})" for u in single))


def _questions(design: Design, files: tuple[Attachment, ...]) -> Iterator[Question]:
    title = design.title
    inputs = {name for name, _, _ in inputs_of(files)}
    if "domain" in inputs:
        yield Question(
            text=f"Under which domain name will the {title} be reached, and who changes its DNS?",
            why="The certificate is issued for this name before the traffic moves.",
            proposal="Leave it as an input of the Terraform, to be given at the first apply.",
        )
    elif design.network and not design.adjust.cidr:
        yield Question(
            text=f"Which private address range may the network of the {title} use?",
            why="It must not overlap any network that will ever be connected to it.",
            proposal="Use 10.10.0.0/20.",
        )
    if design.budget_units is None and design.adjust.budget is None:
        yield Question(
            text=f"Which monthly budget should the {title} have, in which currency?",
            why="Without an amount no budget and no spend alert can be created.",
            proposal="Create none now; add one by a Revision after the first bill.",
        )
    elif "alert_email" in inputs:
        yield Question(
            text=f"Which mail address gets alerts and budget warnings of the {title}?",
            why="An alert that nobody reads is none; this address is the only one at the start.",
            proposal="Leave it as an input of the Terraform, to be given at the first apply.",
        )
