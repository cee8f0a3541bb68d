"""One good submission of every kind, for one small workload, and what they are checked against."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.contracts import (
    ContractContext,
    File,
    Problem,
    Submission,
    check,
    terraform_digest,
)
from engine.deliverables import ANCESTORS, Kind, Pillar
from engine.guide import expand

REQUEST = """Move our order API to the cloud, 3,000 orders a minute at peak, RTO 1 h.
Today it runs on two VMs with a Kafka broker and lands in bigquery every night.
Customers read the catalogue pages without signing in. [see attached sheet]"""

REQUIREMENTS = """## Workload overview

An order API for a shop; 3,000 orders a minute at the peak.

## Functional requirements

- **FR-1**: Accept orders over HTTPS and confirm each with a number.
- **FR-2**: Publish every accepted order to the warehouse team
  within one minute.

## Non-functional requirements

| ID | Requirement | Source |
| :--- | :--- | :--- |
| NFR-PERF-1 | 3,000 orders a minute at the peak | request |
| NFR-REL-1 | Back within 1 hour after the loss of a zone (RTO 1 h) | request |
| NFR-SEC-1 | Orders are encrypted at rest and in transit | A-1 |

## Current state

Two VMs and a broker; a nightly export lands in BigQuery. Files wait in Old Store.

## Dependencies

- The warehouse team's feed, over which it decides.

## Assumptions

- **A-1**: Order data is confidential.

## Contradictions and open questions

No contradictions were found.

## Discovery gaps

- The Run Box MCP server was unavailable, so nothing was read there.
"""

DECOMPOSITION = """## Overview

Two components: one that accepts, one that hands on.

## Components

| ID | Component | Responsibility | Serves |
| :--- | :--- | :--- | :--- |
| C-1 | Order intake | Accepts and confirms orders | FR-1, NFR-PERF-1, NFR-SEC-1 |
| C-2 | Order feed | Hands orders on | FR-2, NFR-REL-1 |

## Interfaces and flows

- Customer -> C-1: order, HTTPS, 3,000 a minute
- C-1 -> C-2: accepted order, message, 3,000 a minute
"""

SELECTION = """## Product mapping

| Component | Recommended product | Justification and citations | Alternatives considered | \
Pros and cons of alternatives |
| :--- | :--- | :--- | :--- | :--- |
| C-1 Order intake | **Run Box** — at least 2 instances | Scales to NFR-PERF-1 without a cluster \
[Run Box](https://docs.example.com/run) | Kube Fleet; Plain VM | **Kube Fleet** Pros: any port \
Cons: a cluster to run<br>**Plain VM** Pros: known Cons: no scaling |
| C-2 Order feed | Topic Bus | Keeps orders for 7 days, so FR-2 survives a loss \
[Topics](https://docs.example.com/topics) | Kafka | Pros: known by the team. Cons: brokers to run. |

## Trade-offs

A managed service costs more an hour and saves the people that a cluster needs.
"""

DIAGRAM = """## Diagram

```mermaid
flowchart LR
    customer([Customer]) --> intake["Run Box<br/>order intake"]
    subgraph region [Main region]
        intake -->|accepted orders| feed[(Topic Bus)]
    end
```
"""

DESCRIPTION = """## Components

- **Customer**: whoever sends an order over the internet.
- **Run Box**: accepts and confirms orders, keeps no state.
- **Topic Bus**: hands accepted orders to the warehouse team.

## Data flow

1. The customer sends an order.
2. The order intake publishes it.

## Control flow

1. A release replaces one revision after the other.
"""


def pillar_text(pillar: Pillar) -> str:
    """The body of one pillar's section."""
    return (
        f"- Set at least 2 instances for NFR-REL-1 ([guide](https://docs.example.com/{pillar})).\n"
        "- Turn on `deletion_protection` for what holds orders.\n"
        "- Use Topic Bus with its own retention.\n"
        "- Talk to each other."
    )


RECOMMENDATIONS = "\n\n".join(f"## {p.heading}\n\n{pillar_text(p)}" for p in Pillar) + "\n"

DEPLOYMENT = """## Prerequisites

- A project with billing.

## Steps

1. Initialise.

   ```sh
   terraform init
   ```

2. Look at the plan before anyone applies it.
"""

TERRAFORM = (
    File("terraform/main.tf", 'resource "x_service" "api" {\n  name = var.name\n}\n'),
    File("terraform/variables.tf", 'variable "name" {\n  type = string\n}\n'),
)
DIGEST = terraform_digest(TERRAFORM)

VALIDATION = f"""## Checks run

| Check | Engine | Result | Detail |
| :--- | :--- | :--- | :--- |
| `terraform_fmt` | terraform 1.11 | passed | 2 files |
| terraform_validate | terraform 1.11 | unchecked | provider unavailable |

## Findings

- The provider could not be fetched, so arguments were not checked.

## Verdict

**Passed**: nothing failed. Terraform {DIGEST}.

## Validation plan

1. Run `terraform plan` in a test project.
"""

VALIDATION_JSON: Mapping[str, object] = {
    "passed": True,
    "terraform_sha256": DIGEST,
    "checks": [
        {
            "id": "terraform_fmt",
            "engine": "terraform 1.11",
            "result": "passed",
            "detail": "2 files",
        },
        {
            "id": "terraform_validate",
            "engine": "terraform 1.11",
            "result": "unchecked",
            "detail": "provider unavailable",
        },
    ],
}

TEMPLATE = """<!-- a note -->

# Example Cloud solution architecture: [Workload Name]

## 1. Executive summary and workload overview
[A description]

## 2. Requirements and current state

### 2.1. Functional requirements
### 2.2. Non-functional requirements
### 2.3. Current state
### 2.4. Dependencies

## 3. Technical decomposition of the workload

## 4. Proposed solution architecture
### 4.1. Example Cloud products and features mapping
### 4.2. Architecture diagram
### 4.3. Architecture description

## 5. Design and configuration recommendations
### 5.1. Security, privacy, and compliance
### 5.2. Reliability
### 5.3. Operational excellence
### 5.4. Cost optimization
### 5.5. Performance efficiency
### 5.6. Sustainability

## 6. Deployment guidance
### 6.1. Deployment prerequisites
### 6.2. Step-by-step deployment instructions

## 7. Validation plan
## 8. References
"""

GUIDE_SOURCE = """# Example Cloud solution architecture: Order API

## 1. Executive summary and workload overview

{{include requirements#Workload overview}}

## 2. Requirements and current state

#### Assumptions

{{include requirements#Assumptions}}

{{include requirements#Contradictions and open questions}}

{{include requirements#Discovery gaps}}

### 2.1. Functional requirements

{{include requirements#Functional requirements}}

### 2.2. Non-functional requirements

{{include requirements#Non-functional requirements}}

### 2.3. Current state

{{include requirements#Current state}}

### 2.4. Dependencies

{{include requirements#Dependencies}}

## 3. Technical decomposition of the workload

{{include technical_decomposition}}

## 4. Proposed solution architecture

### 4.1. Example Cloud products and features mapping

{{include product_selection}}

### 4.2. Architecture diagram

{{include architecture_diagram#Diagram}}

### 4.3. Architecture description

{{include architecture_description}}

## 5. Design and configuration recommendations

PILLARS

## 6. Deployment guidance

### 6.1. Deployment prerequisites

{{include deployment_guidance#Prerequisites}}

### 6.2. Step-by-step deployment instructions

{{include deployment_guidance#Steps}}

## 7. Validation plan

{{include validation_results}}

## 8. References

- [Run Box](https://docs.example.com/run)
""".replace(
    "PILLARS",
    "\n\n".join(
        f"### 5.{number}. {p.heading}\n\n{{{{include design_recommendations#{p.heading}}}}}"
        for number, p in enumerate(Pillar, start=1)
    ),
)

CONTENTS = {
    Kind.REQUIREMENTS: REQUIREMENTS,
    Kind.TECHNICAL_DECOMPOSITION: DECOMPOSITION,
    Kind.PRODUCT_SELECTION: SELECTION,
    Kind.ARCHITECTURE_DIAGRAM: DIAGRAM,
    Kind.ARCHITECTURE_DESCRIPTION: DESCRIPTION,
    Kind.DESIGN_RECOMMENDATIONS: RECOMMENDATIONS,
    Kind.DEPLOYMENT_GUIDANCE: DEPLOYMENT,
    Kind.VALIDATION_RESULTS: VALIDATION,
}
CONTENTS[Kind.SOLUTION_GUIDE] = expand(GUIDE_SOURCE, CONTENTS)

ATTACHMENTS = {
    Kind.DEPLOYMENT_GUIDANCE: TERRAFORM,
    Kind.VALIDATION_RESULTS: (File("validation.json", json.dumps(VALIDATION_JSON)),),
}

GOOD: dict[Kind, Submission] = {
    kind: Submission(kind, content, ATTACHMENTS.get(kind, ())) for kind, content in CONTENTS.items()
}


@dataclass(frozen=True)
class SampleProduct:
    name: str
    spellings: tuple[str, ...]
    status: str = "active"
    successor: str | None = None


@dataclass(frozen=True)
class SampleMention:
    product: SampleProduct
    text: str
    start: int


PRODUCTS = (
    SampleProduct("Run Box", ("Run Box", "RBX")),
    SampleProduct("Topic Bus", ("Topic Bus",)),
    SampleProduct("BigQuery", ("BigQuery",)),
    SampleProduct("Kube Fleet", ("Kube Fleet",)),
    SampleProduct("Old Store", ("Old Store",), "retired", "New Store"),
    SampleProduct("Fading Queue", ("Fading Queue",), "deprecated"),
)


class SampleCatalogue:
    """Finds whole words, in the catalogue's own case."""

    def mentions(self, text: str) -> tuple[SampleMention, ...]:
        found = [
            SampleMention(product, match.group(), match.start())
            for product in PRODUCTS
            for spelling in product.spellings
            for match in re.finditer(rf"\b{re.escape(spelling)}\b", text)
        ]
        return tuple(sorted(found, key=lambda mention: mention.start))

    def find(self, text: str) -> SampleProduct | None:
        folded = text.casefold()
        named = (p for p in PRODUCTS if folded in [s.casefold() for s in p.spellings])
        return next(named, None)


@dataclass
class SampleCheckers:
    """Answers as told and records what it was asked."""

    mermaid: tuple[str, ...] = ()
    fmt: tuple[str, ...] | None = ()
    policy: tuple[str, ...] = ()
    public: list[bool] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def mermaid_errors(self, text: str) -> Sequence[str]:
        return self.mermaid

    def terraform_fmt_problems(self, files: Sequence[File]) -> Sequence[str] | None:
        self.files = [file.path for file in files]
        return self.fmt

    def terraform_policy_problems(self, files: Sequence[File], allow_public: bool) -> Sequence[str]:
        self.public.append(allow_public)
        return self.policy


def context(
    kind: Kind,
    *,
    request: str = REQUEST,
    checkers: SampleCheckers | None = None,
    changed: Mapping[Kind, str] | None = None,
) -> ContractContext:
    """What a submission of this kind is checked against; ``changed`` replaces contents."""
    dependencies = {ancestor: GOOD[ancestor] for ancestor in ANCESTORS[kind]}
    for other, content in (changed or {}).items():
        dependencies[other] = replace(dependencies[other], content=content)
    return ContractContext(
        request=request,
        dependencies=dependencies,
        catalogue=SampleCatalogue(),
        docs_hosts=("docs.example.com", "registry.terraform.io"),
        template=TEMPLATE,
        checkers=checkers or SampleCheckers(),
    )


def changed(kind: Kind, old: str, new: str) -> Submission:
    """The good submission with one passage replaced, which must be there."""
    content = CONTENTS[kind]
    assert old in content, f"{old!r} is not in the sample of {kind}"
    return replace(GOOD[kind], content=content.replace(old, new))


def problems(submission: Submission, **options: object) -> tuple[Problem, ...]:
    """The problems of a submission in the sample context."""
    return check(submission, context(submission.kind, **options))  # type: ignore[arg-type]


def codes(found: Sequence[Problem]) -> set[str]:
    """The kinds of fault among problems."""
    return {problem.code.value for problem in found}
