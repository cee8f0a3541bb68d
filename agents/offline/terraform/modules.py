"""Which module of templates provisions which product, and what kind of thing it is.

A module is found by the product's catalogue name. Products of the same family share a module; a
product with nothing to provision says why, and what a person does instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a module's resources are to the others."""

    RUNS = "runs"  # code runs in it under an identity of its own
    HOLDS = "holds"  # keeps data, messages or secrets that others use
    EDGE = "edge"  # stands between callers and what runs
    SUPPORT = "support"  # network, keys, operations


@dataclass(frozen=True, slots=True)
class Module:
    """A module of templates.

    ``products`` is a pattern over the whole catalogue name. ``once`` makes one instance for the
    design however many components use the product. ``private`` needs the network. ``apis`` are
    services to enable beyond those that the resource types imply. ``by_hand`` says what a person
    does where Terraform provisions nothing, or not all.
    """

    key: str
    products: str
    role: Role
    once: bool = False
    private: bool = False
    apis: tuple[str, ...] = ()
    by_hand: str = ""
    template: bool = True

    def fits(self, product: str) -> bool:
        """Whether this module provisions a product of that name."""
        return re.fullmatch(self.products, product, re.I) is not None


R, H, E, S = Role.RUNS, Role.HOLDS, Role.EDGE, Role.SUPPORT

# fmt: off
MODULES: tuple[Module, ...] = (
    # What runs code.
    Module("cloud_run_job", r"Cloud Run jobs?", R),
    Module("cloud_run_worker", r"Cloud Run worker pools?", R),
    Module("functions", r"Cloud (?:Run )?functions|Cloud Functions.*", R),
    Module("cloud_run", r"Cloud Run(?: services?)?(?: GPU.*)?", R),
    Module("gke", r"(?:Google Kubernetes Engine|GKE).*", R, private=True),
    Module("compute", r"Compute Engine.*|Managed instance groups?.*|Sole-tenant nodes|"
           r"Google Cloud Compute Engine", R, private=True),
    Module("batch", r"(?:Google )?(?:Cloud )?Batch", R, private=True,
           apis=("batch.googleapis.com",),
           by_hand="submit jobs with `gcloud batch jobs submit`; the provider has no job resource"),
    Module("app_engine", r"App Engine.*", R, once=True),
    Module("vmware", r"(?:Google Cloud )?VMware Engine", R, once=True, private=True),
    # What holds data and messages.
    Module("cloud_sql", r"Cloud SQL.*", H, private=True),
    Module("alloydb", r"AlloyDB.*", H, private=True),
    Module("spanner", r"(?:Cloud )?Spanner.*", H),
    Module("firestore", r"(?:Cloud )?Firestore.*", H),
    Module("bigtable", r"(?:Cloud )?Bigtable.*", H),
    Module("redis", r"Memorystore for Redis(?: Cluster)?", H, private=True),
    Module("memorystore", r"Memorystore.*", H, private=True),
    Module("oracle", r"Oracle Database@Google Cloud|Oracle.*", H, private=True),
    Module("bigquery_bi", r"BigQuery BI Engine", S, once=True),
    Module("bigquery_transfer", r"BigQuery Data Transfer Service", R,
           by_hand="create one transfer per source in the console: each needs that source's "
           "sign-in, which only its owner can give"),
    Module("bigquery", r"BigQuery(?: ML| Omni)?|BigLake.*|Google Cloud Lakehouse", H),
    Module("storage", r"Cloud Storage.*|Google Cloud Storage", H),
    Module("disk", r"(?:Google Cloud )?Hyperdisk.*|Persistent Disk.*", S, template=False),
    Module("filestore", r"Filestore.*", H, private=True),
    Module("netapp", r"(?:Google Cloud )?NetApp Volumes", H, private=True),
    Module("lustre", r"(?:Google Cloud )?Managed Lustre|Parallelstore", H, private=True),
    Module("healthcare", r"(?:Cloud )?Healthcare API", H),
    Module("pubsub", r"(?:Cloud )?Pub/Sub(?! Lite).*", H),
    Module("kafka", r"(?:Google Cloud )?Managed Service for Apache Kafka|Managed Kafka.*|"
           r"Google Cloud Managed Service for Apache Kafka", H, private=True),
    Module("tasks", r"Cloud Tasks", H),
    # What moves and transforms.
    Module("scheduler", r"Cloud Scheduler", R),
    Module("workflows", r"(?:Cloud )?Workflows", R),
    Module("eventarc", r"Eventarc.*", R),
    Module("dataflow", r"(?:Cloud )?Dataflow.*", R, private=True,
           apis=("compute.googleapis.com",)),
    Module("dataproc", r"(?:Cloud )?Dataproc.*|Managed Service for Apache Spark|"
           r"(?:Google Cloud )?Serverless for Apache Spark", R, private=True),
    Module("composer", r"Cloud Composer.*|Managed Service for Apache Airflow", R, private=True),
    Module("data_fusion", r"Cloud Data Fusion", R, private=True),
    Module("datastream", r"Datastream", S, private=True),
    Module("dms", r"Database Migration Service", S, private=True),
    Module("transfer", r"Storage Transfer Service|Transfer Appliance", S),
    Module("migrate_vms", r"Migrate to (?:Virtual Machines|Containers)|Migration Center", S,
           once=True, apis=("vmmigration.googleapis.com", "migrationcenter.googleapis.com"),
           by_hand="register the source environment and start replication in the console: the "
           "connector appliance is installed at the source by its administrators"),
    Module("dataform", r"Dataform", R),
    Module("integration", r"Application Integration|Integration Connectors", R, once=True,
           apis=("integrations.googleapis.com", "connectors.googleapis.com"),
           by_hand="build and publish the integrations in the console"),
    Module("bigquery_migration", r"BigQuery Migration Service", S, once=True, template=False,
           apis=("bigquerymigration.googleapis.com",),
           by_hand="assess the old warehouse and translate its queries in the console before the "
           "first load"),
    Module("hardware", r"Bare Metal Solution|Cloud TPU|Google Distributed Cloud", S, once=True,
           template=False,
           by_hand="order the capacity through the sales team or a reservation: it is delivered, "
           "not provisioned from this configuration"),
    # The edge.
    Module("load_balancing", r"(?:Cloud )?Load Balancing|.*Load Balancer.*", E, once=True),
    Module("armor", r"(?:Google )?Cloud Armor.*", E, once=True),
    Module("cdn", r"Cloud CDN", E, once=True),
    Module("media_cdn", r"Media CDN", E, once=True),
    Module("dns", r"Cloud DNS|Cloud Domains", E, once=True),
    Module("certificates", r"Certificate Manager", E, once=True),
    Module("api_gateway", r"API Gateway|Cloud Endpoints", E, once=True,
           apis=("apigateway.googleapis.com", "servicecontrol.googleapis.com",
                 "servicemanagement.googleapis.com"),
           by_hand="publish the OpenAPI document with `gcloud api-gateway`: the stable provider "
           "has no resource for it"),
    Module("apigee", r"Apigee.*", E, once=True, private=True),
    Module("iap", r"Identity-Aware Proxy.*|Chrome Enterprise Premium", E, once=True,
           apis=("iap.googleapis.com",)),
    Module("identity_platform", r"Identity Platform|Firebase Authentication", E, once=True),
    Module("recaptcha", r"reCAPTCHA.*", E, once=True),
    Module("hosting", r"Firebase Hosting|Firebase App Hosting", E, once=True,
           apis=("firebase.googleapis.com", "firebasehosting.googleapis.com"),
           by_hand="deploy the site with the Firebase command line: the stable provider has no "
           "resource for a hosting site"),
    Module("firebase", r"Firebase.*", E, once=True, apis=("firebase.googleapis.com",),
           by_hand="add the Firebase project and its apps in the Firebase console"),
    # Network.
    Module("nat", r"Cloud NAT", S, once=True, private=True),
    Module("vpn", r"(?:Cloud |HA )VPN.*", S, once=True, private=True),
    Module("interconnect", r"(?:Cloud |Dedicated |Partner |Cross-Cloud )Interconnect.*", S,
           once=True, private=True),
    Module("connectivity_hub", r"Network Connectivity Center", S, once=True, private=True),
    Module("web_proxy", r"Secure Web Proxy", S, once=True, private=True),
    Module("ids", r"Cloud IDS|Cloud (?:NGFW|Next Generation Firewall).*|.*Firewall.*", S,
           once=True, private=True),
    Module("psc", r"Private Service Connect.*", S, once=True, private=True),
    Module("service_mesh", r"Cloud Service Mesh|Traffic Director", S, once=True, private=True,
           apis=("mesh.googleapis.com",),
           by_hand="enrol the cluster in the mesh with `gcloud container fleet mesh enable`"),
    Module("network", r"Virtual Private Cloud.*|VPC(?! Service).*|Shared VPC", S, once=True,
           private=True),
    Module("network_intelligence", r"Network Intelligence Center", S, once=True, private=True,
           apis=("networkmanagement.googleapis.com",),
           by_hand="create connectivity tests after the first apply, from the addresses that "
           "`terraform output` shows"),
    # Security.
    Module("kms", r"Cloud (?:KMS|Key Management Service|HSM|EKM|External Key Manager)|"
           r"Cloud Key Management.*", S, once=True),
    Module("secrets", r"Secret Manager|Parameter Manager", H, once=True),
    Module("vpc_sc", r"VPC Service Controls", S, once=True),
    Module("scc", r"Security Command Center.*|Google Security Operations", S, once=True),
    Module("dlp", r"Sensitive Data Protection|Cloud Data Loss Prevention|Cloud DLP", H, once=True),
    Module("binary_authorization", r"Binary Authorization", S, once=True),
    Module("cas", r"Certificate Authority Service", S, once=True),
    Module("iam", r"(?:Cloud )?(?:IAM|Identity and Access Management)|Policy Intelligence|"
           r"Privileged Access Manager", S, once=True, template=False),
    Module("workforce", r"Workforce Identity Federation|Cloud Identity|Managed Service for "
           r"Microsoft Active Directory", S, once=True, template=False,
           apis=("iam.googleapis.com",),
           by_hand="an organisation administrator sets up the federation with the identity "
           "provider: it belongs to the organisation, not to this project"),
    Module("workload_identity", r"Workload Identity Federation", S, once=True),
    Module("org_policy", r"Organization Policy.*|Assured Workloads|Access Transparency|"
           r"Resource Manager|Access Approval", S, once=True, template=False,
           by_hand="an organisation administrator sets this on the folder, above this project"),
    # Operations.
    Module("monitoring", r"Cloud Monitoring|(?:Google Cloud )?Managed Service for Prometheus|"
           r"Google Cloud Observability|Cloud Operations.*", S, once=True, template=False),
    Module("logging", r"Cloud Logging|Cloud Audit Logs|Log Analytics", S, once=True,
           template=False),
    Module("tracing", r"Cloud Trace|Error Reporting|Cloud Profiler", S, once=True,
           apis=("cloudtrace.googleapis.com", "clouderrorreporting.googleapis.com",
                 "cloudprofiler.googleapis.com"), template=False,
           by_hand="the application's OpenTelemetry exporter sends the data"),
    Module("build", r"Cloud Build|Secure Source Manager", S, once=True),
    Module("artifacts", r"Artifact Registry|Artifact Analysis", S, once=True),
    Module("deploy", r"Cloud Deploy", S, once=True),
    Module("infra_manager", r"Infrastructure Manager|Terraform.*", S, once=True, template=False,
           apis=("config.googleapis.com",),
           by_hand="Infrastructure Manager can run this same configuration: point a deployment "
           "at the repository that holds it"),
    Module("backup", r"Backup and DR.*|Backup for GKE", S, once=True),
    Module("billing", r"Cloud Billing.*|Billing budgets.*|Cloud Billing Budgets", S, once=True,
           template=False),
    Module("active_assist", r"(?:Active Assist|Recommender|Carbon Footprint|App Hub|"
           r"Workload Manager|Cloud Asset Inventory|Personalized Service Health|FinOps hub)", S,
           once=True, template=False,
           apis=("recommender.googleapis.com", "cloudasset.googleapis.com"),
           by_hand="open it in the console after the first days of use: it reads what runs and "
           "provisions nothing"),
    Module("workplaces", r"Cloud Workstations|Colab Enterprise|Agent Platform Workbench|"
           r"Vertex AI Workbench", S, once=True, template=False,
           apis=("workstations.googleapis.com", "notebooks.googleapis.com"),
           by_hand="create work places for people in the console; they are no part of it"),
    Module("config_connector", r"Config Connector", S, once=True, template=False,
           by_hand="not needed beside this Terraform: two tools must not own the same resource"),
    # AI, search, documents.
    Module("search", r"Vertex AI Search.*|Agent Search|.*Agent Builder|Gemini Enterprise"
           r"(?! Agent Platform).*|Discovery Engine|Agentspace", H, once=True),
    Module("vector_search", r"(?:Vertex AI )?Vector Search|Vertex AI Matching Engine", H,
           private=True),
    Module("rag", r"(?:Vertex AI )?RAG Engine", H, once=True),
    Module("document_ai", r"Document AI", H, once=True),
    Module("model_armor", r"Model Armor", H, once=True),
    Module("vertex_pipelines", r"Vertex AI (?:Pipelines|Training|Custom Training|Workbench)|"
           r"Agent Platform (?:Pipelines|Training)", R),
    Module("vertex_endpoint", r"Vertex AI (?:Prediction|Endpoints?|Inference|Online.*)|"
           r"Agent Platform (?:Inference|Endpoints?)", H),
    Module("agent_engine", r"(?:Vertex AI )?Agent Engine|Agent Runtime", R, once=True,
           template=False, apis=("aiplatform.googleapis.com",),
           by_hand="deploy the agent package with the SDK after the project stands"),
    Module("gemini", r"(?:Vertex AI|Gemini|Generative AI|Gemini Enterprise Agent Platform|"
           r"Model Garden|Imagen|Agent Platform)(?: .*)?|.*\bGemini\b.*", H, once=True,
           apis=("aiplatform.googleapis.com",), template=False,
           by_hand="calls go to the regional model endpoint under the caller's service account: "
           "there is nothing to provision but the right to call"),
    Module("ai_apis", r"(?:Cloud )?(?:Speech-to-Text|Text-to-Speech|Vision(?: API| AI)?|"
           r"Translation(?: API)?|Natural Language(?: API)?|Video Intelligence(?: API)?)", H,
           once=True, apis=("speech.googleapis.com", "vision.googleapis.com",
                            "translate.googleapis.com", "videointelligence.googleapis.com"),
           template=False, by_hand="the call needs the enabled service and an identity only"),
    Module("web_apis", r"Web Risk|Google Maps Platform|AI Commerce Search", H, once=True,
           template=False, by_hand="enable the API and restrict its key to the calling service"),
    Module("dialogflow", r"Dialogflow.*|Conversational Agents.*|Contact Center.*", H, once=True,
           apis=("dialogflow.googleapis.com",), template=False,
           by_hand="design the agent in its console and export it into version control"),
    # Analytics beside the warehouse; media.
    Module("looker", r"Looker(?! Studio).*", E, once=True),
    Module("looker_studio", r"Looker Studio.*|Data Studio.*|Connected Sheets", E, once=True,
           template=False, by_hand="reports are made in the browser and read the warehouse under "
           "the viewer's own rights"),
    Module("dataplex", r"(?:Cloud )?Dataplex.*|(?:Dataplex )?(?:Universal|Knowledge) Catalog", H,
           once=True),
    Module("sharing", r"Analytics Hub|BigQuery sharing.*", H, once=True),
    Module("transcoder", r"Transcoder API", H, once=True),
    Module("live_stream", r"Live Stream API|Video Stitcher API", H, once=True,
           apis=("livestream.googleapis.com",), template=False,
           by_hand="start channels through the API when a broadcast begins: each running channel "
           "is billed"),
)
# fmt: on


class UnknownProduct(Exception):
    """No module provisions the product."""


def module_for(product: str) -> Module:
    """The module of a product's catalogue name. Raises UnknownProduct."""
    name = " ".join(product.split())
    for module in MODULES:
        if module.fits(name):
            return module
    raise UnknownProduct(
        f"no Terraform module knows the product {name!r}; add it to "
        f"agents/offline/terraform/modules.py"
    )


def by_key(key: str) -> Module:
    """The module of that key."""
    return next(module for module in MODULES if module.key == key)
