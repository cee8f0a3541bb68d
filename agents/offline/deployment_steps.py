"""The numbered steps that a person runs: from signing in to the way back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.offline.deployment_moves import REAPPLY, Step, move
from agents.offline.facts import Measure, Workload
from agents.offline.load import aim
from agents.offline.terraform.design import Design
from agents.offline.terraform.parts import Unit
from agents.offline.terraform.render import addresses, inputs_of
from agents.offline.terraform.wiring import AGENTS
from agents.offline.wording import clip, listed
from agents.runtime import Attachment


def steps_of(design: Design, files: tuple[Attachment, ...]) -> list[str]:
    """All steps as Markdown lines, numbered."""
    if design.hosted and design.brief.tiny:
        return _numbered([*_hosted(design), *_asked(design)])
    steps = [*_before(design, files), *_apply(design, files), *_after(design)]
    if design.brief.works(Workload.MIGRATION) or design.has("dms", "datastream", "migrate_vms"):
        steps += move(design)
    steps += [*_back(design), *_asked(design)]
    return _numbered(steps)


def _hosted(design: Design) -> Iterator[Step]:
    """A site on a hosting service: publish it, give it its name, and watch the bill."""
    yield (
        "Install the Firebase command line, sign in, and add Firebase to the project. When asked, "
        "name the folder that holds the pages.",
        (
            'export PROJECT_ID="<the project>"',
            "npm install --global firebase-tools",
            "firebase login",
            'firebase projects:addfirebase "$PROJECT_ID"',
            'firebase init hosting --project "$PROJECT_ID"',
        ),
    )
    yield (
        "Look at the site under a preview address, then publish it. It answers over HTTPS under "
        "its `web.app` name at once.",
        (
            'firebase hosting:channel:deploy preview --project "$PROJECT_ID"',
            'firebase deploy --only hosting --project "$PROJECT_ID"',
        ),
    )
    yield (
        "Connect your own domain: in the Firebase console open Hosting, choose “Add custom "
        "domain”, and enter the records that it shows at your registrar. The certificate comes "
        "by itself, within a day at the latest.",
        ("dig +short A <your domain>", "curl -sI https://<your domain>/ | head -1"),
    )
    yield (
        "Create the budget alarm and the log settings, which are all that the Terraform holds: "
        "fill in terraform.tfvars, read the plan, apply it.",
        (
            "cd terraform && cp terraform.tfvars.example terraform.tfvars",
            '"$EDITOR" terraform.tfvars',
            "terraform init -backend=false && terraform validate",
            f'terraform init -backend-config="bucket=<bucket for state>" '
            f'-backend-config="prefix={design.prefix}"',
            "terraform plan -out=first.plan && terraform apply first.plan",
        ),
    )
    yield (
        "Way back after a bad change: in the Firebase console open Hosting, choose the release "
        "before, and roll back. Or publish the earlier files again.",
        ('firebase deploy --only hosting --project "$PROJECT_ID"',),
    )


def _numbered(steps: Sequence[Step]) -> list[str]:
    lines: list[str] = []
    for position, (text, commands) in enumerate(steps, 1):
        lines.append(f"{position}. {text}")
        if commands:
            lines += ["", "   ```bash", *(f"   {c}" for c in commands), "   ```", ""]
    return lines


def _before(design: Design, files: tuple[Attachment, ...]) -> Iterator[Step]:
    title = design.title
    yield (
        f"Sign in as yourself and choose the project of the {title}.",
        (
            "gcloud auth login && gcloud auth application-default login",
            'export PROJECT_ID="<the project>"',
            'gcloud config set project "$PROJECT_ID"',
            "gcloud services enable cloudresourcemanager.googleapis.com "
            "serviceusage.googleapis.com",
        ),
    )
    yield (
        f"Create the bucket for the {title}'s state in {design.region}, with versions, so that an "
        "earlier state can be restored.",
        (
            f'gcloud storage buckets create "gs://$PROJECT_ID-tfstate" --location={design.region} '
            "--uniform-bucket-level-access --public-access-prevention",
            'gcloud storage buckets update "gs://$PROJECT_ID-tfstate" --versioning',
        ),
    )
    keyed = _keyed(files)
    if keyed:
        commands = [
            f'gcloud beta services identity create --service={AGENTS[k][0]} --project="$PROJECT_ID"'
            for k in keyed
            if k not in {"storage", "bigquery", "compute"}
        ]
        if "storage" in keyed:
            commands.append('gcloud storage service-agent --project="$PROJECT_ID"')
        if "bigquery" in keyed:
            commands.append('bq show --encryption_service_account --project_id="$PROJECT_ID"')
        yield (
            f"Create the service agents that will encrypt with the keys of the {title}: "
            f"{len(keyed)} services get one key each.",
            tuple(commands),
        )
    yield (
        f"Give the values of the {title} and export its secrets; neither file nor secret goes into "
        "version control.",
        (
            "cd terraform",
            "cp terraform.tfvars.example terraform.tfvars",
            '"$EDITOR" terraform.tfvars',
            *(f"read -rs TF_VAR_{name} && export TF_VAR_{name}" for name in _secrets(files)),
        ),
    )


def _apply(design: Design, files: tuple[Attachment, ...]) -> Iterator[Step]:
    title = design.title
    count = len(addresses(files))
    yield (
        f"Fetch the provider and connect the state of the {title}.",
        (
            'terraform init -backend-config="bucket=$PROJECT_ID-tfstate" '
            f'-backend-config="prefix={design.prefix}"',
            "terraform validate",
        ),
    )
    yield (
        f"Plan the {title} and read the plan with a second person: about {count} resource "
        f"blocks are "
        "added, none is changed or destroyed on the first run.",
        ("terraform plan -out=first.plan", "terraform show first.plan | less"),
    )
    waits = [
        w
        for w in (
            "a regional database takes 10 to 20 minutes"
            if design.has("cloud_sql", "alloydb")
            else "",
            "a Kafka cluster about 30 minutes" if design.has("kafka") else "",
            "an orchestration environment about 25 minutes" if design.has("composer") else "",
            "an API management runtime about 40 minutes" if design.has("apigee") else "",
        )
        if w
    ]
    time = f"; {listed(waits)}" if waits else ""
    yield (
        f"Apply exactly the plan of the {title} that was read{time}.",
        ("terraform apply first.plan", "terraform output"),
    )


def _after(design: Design) -> Iterator[Step]:
    title = design.title
    if (
        design.has("load_balancing")
        and not design.sealed
        and (design.exposed or design.public_files)
    ):
        yield (
            f"Set the certificate record and the address record of the {title} at the DNS "
            f"provider, and "
            "wait until the certificate is ACTIVE.",
            (
                "terraform output certificate_record",
                "terraform output address",
                f"gcloud certificate-manager certificates describe {design.prefix}-cert "
                "--format='value(managed.state)'",
            ),
        )
    if design.exposed and not design.has("iap") and not design.public and not design.sealed:
        yield (
            f"Callers that carry no Google identity are refused until a person opens the way "
            f"through the load balancer to {listed(u.component for u in design.exposed)}: set "
            "`open_to_callers = true` in terraform.tfvars when the application checks its callers "
            "itself, plan, read and apply. The value stays in the file, so that later applies "
            "keep it.",
            REAPPLY,
        )
    if design.public_files:
        site = design.public_files[0]
        yield (
            f"Copy the files of the {title} to the bucket of {site.component}"
            + (
                "."
                if design.public
                else ', and publish them: set `site_readers = ["allUsers"]` in '
                "terraform.tfvars, plan, read and apply."
            ),
            (
                f'gcloud storage rsync ./site "gs://$(terraform output -raw {site.name}_bucket)" '
                "--recursive --delete-unmatched-destination-objects",
                *(() if design.public else REAPPLY),
            ),
        )
    if design.has("secrets"):
        yield (
            f"Add the first version of each secret of the {title} from a file that is shredded "
            f"afterwards.",
            (
                f"gcloud secrets list --filter='name:{design.prefix}' --format='value(name)'",
                'gcloud secrets versions add "<secret>" --data-file="<file>"',
            ),
        )
    services = design.of("cloud_run", "cloud_run_job")
    if services:
        first = services[0]
        yield (
            f"Build and release the images of "
            f"{listed(dict.fromkeys(u.component for u in services))}; "
            "until then a sample image answers.",
            (
                f'gcloud builds submit --tag "$(terraform output -raw images)/{first.slug}:1"',
                *(
                    f"gcloud run "
                    f"{'jobs' if first.module.key == 'cloud_run_job' else 'services'} update "
                    f"{design.prefix}-{first.slug} --region={region} "
                    f'--image="$(terraform output -raw images)/{first.slug}:1"'
                    for region in (
                        design.regions if first.module.key == "cloud_run" else design.regions[:1]
                    )
                ),
            ),
        )
    if design.has("gke"):
        yield (
            f"Connect to the cluster of the {title} through its DNS endpoint and deploy the "
            f"manifests.",
            (
                f"gcloud container clusters get-credentials {design.prefix}-cluster "
                f"--region={design.region} --dns-endpoint",
                "kubectl apply -k deploy/production",
            ),
        )
    if design.has("vpc_sc"):
        yield (
            f"Read the dry-run violations of the {title}'s perimeter for a week, then enforce "
            f"it in a "
            "change of its own.",
            ("gcloud logging read 'protoPayload.metadata.dryRun=true' --freshness=7d --limit=50",),
        )
    if _locked(design):
        names = listed(u.component for u in _locked(design))
        yield (
            f"Lock the retention of {names} only when the data owner has signed the period: set "
            f"{listed(f'`{v} = true`' for v in _locks(design))} in terraform.tfvars, plan, read "
            "and apply. A lock can never be taken back, so the value stays in the file for good.",
            REAPPLY,
        )
    yield (
        f"Go through the validation plan of the {title} (section 7) before anybody uses it.",
        (),
    )


def _back(design: Design) -> Iterator[Step]:
    title = design.title
    commands = [
        "git revert --no-edit <commit> && terraform plan -out=back.plan",
        "terraform apply back.plan",
    ]
    service = design.one("cloud_run")
    if service:
        commands.append(
            f"gcloud run services update-traffic {design.prefix}-{service.slug} "
            f"--region={design.region} --to-revisions=<previous revision>=100"
        )
    yield (
        f"Way back after a bad change of the {title}: revert the commit and apply the plan of "
        f"the earlier "
        "code; a bad release goes back by moving traffic to the previous revision.",
        tuple(commands),
    )
    sql = design.one("cloud_sql")
    if sql:
        yield (
            f"Way back after wrong data in {sql.component}: clone it to a minute before the "
            f"mistake, "
            f"check, then point the {title} to the clone.",
            (
                f"gcloud sql instances clone {design.prefix}-{sql.slug} "
                f"{design.prefix}-{sql.slug}-back "
                "--point-in-time=<RFC 3339 time>",
            ),
        )
    if design.second_region and sql:
        rto = design.goal(Measure.RTO)
        within = f", within {aim(rto)}" if rto else ""
        yield (
            f"When {design.region} is lost{within}: promote the replica of {sql.component} in "
            f"{design.second_region}; the load balancer has left the region by itself.",
            (f"gcloud sql instances promote-replica {design.prefix}-{sql.slug}-replica",),
        )


def _asked(design: Design) -> Iterator[Step]:
    """Answer what the request asks for and this system does not do."""
    for ask in design.facts.forbidden_asks:
        yield (
            f"Asked for: “{clip(ask, 120)}”. This is not done here: the person who holds the "
            f"roles above "
            f"decides it and runs the steps for the {design.title} after the Approval.",
            (),
        )


def _secrets(files: tuple[Attachment, ...]) -> tuple[str, ...]:
    return tuple(name for name, _, secret in inputs_of(files) if secret)


def _keyed(files: tuple[Attachment, ...]) -> tuple[str, ...]:
    text = next((f.text for f in files if f.path == "terraform/security.tf"), "")
    return tuple(k for k in AGENTS if f"    {k} " in text or f"    {k}=" in text)


def _locks(design: Design) -> tuple[str, ...]:
    return tuple(f"{u.name}_lock_retention" for u in _locked(design))


def _locked(design: Design) -> tuple[Unit, ...]:
    return tuple(u for u in design.of("storage") if design.size.locked_days(u))
