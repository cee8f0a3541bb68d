"""The table of flows between parts: source > target | what moves | in what style | how much.

The last column is a key of ``VOLUMES`` in ``patterns_flows`` or words; ``{s}`` stands for the
workload, ``~`` at the end for "of the workload", ``{w}`` for what its streams carry.
"""

from __future__ import annotations

from agents.offline.patterns_model import Link, Part

_TABLE = """
PUBLIC_ENTRY > CONTENT_DELIVERY | pages and static files | HTTPS | static
CONTENT_DELIVERY > WEB_FRONT | what no cache holds | HTTPS | pages
CONTENT_DELIVERY > SITE_FILES | pages that no cache holds | HTTPS | calls
CONTENT_DELIVERY > FORM | what a visitor sends in | HTTPS | the few entries~
CONTENT_DELIVERY > OBJECTS | files that no cache holds | HTTPS | files
PUBLIC_ENTRY > API_MANAGEMENT | calls with a key | HTTPS | calls
PUBLIC_ENTRY > WEB_FRONT | page requests | HTTPS | pages
API_MANAGEMENT > API | calls within their plan | HTTPS | calls
PUBLIC_ENTRY > API | calls | synchronous HTTPS | calls
PUBLIC_ENTRY > EVENT_COLLECTOR | events in batches | HTTPS | wide
PUBLIC_ENTRY > MEDIA_INTAKE | requests for an upload | HTTPS | calls
PUBLIC_ENTRY > PREDICTION | values to score | synchronous HTTPS | calls
PUBLIC_ENTRY > ANSWER | questions | HTTPS with streamed answer | calls
PRIVATE_ENTRY > ANSWER | questions | private HTTPS with streamed answer | calls
PRIVATE_ENTRY > PREDICTION | values to score | private HTTPS | calls
SIGN_IN > API | verified identity and roles | signed token | calls
SIGN_IN > MEDIA_INTAKE | verified identity | signed token | calls
SIGN_IN > PREDICTION | verified identity | signed token | calls
SIGN_IN > ANSWER | verified identity and groups | signed token | items
WEB_FRONT > API | data for pages | synchronous HTTPS | calls
API > CACHE | frequent reads | in-memory protocol over TLS | cached
API > CLINICAL | clinical records and images to show | FHIR and DICOMweb over TLS | calls
HYBRID_LINK > CLINICAL | feeds of the clinical systems | private connection | night
CLINICAL > AUDIT | reads and changes with the person behind them | audit record | core
LIVE > OBJECTS | segments and recordings | object write | as long as each event runs
PUBLIC_ENTRY > LIVE | control of channels | synchronous HTTPS | a call an event~
API > RELATIONAL | reads and writes in transactions | pooled SQL over TLS | written
API > DOCUMENT_STORE | reads and writes by key | client library over TLS | core
API > SEARCH | queries by word and filter | HTTPS | calls
API > EVENT_LOG | what happened once it is committed | publish at least once | core
API > TASK_QUEUE | work for later | enqueue | core
API > OBJECTS | permissions to upload and download | signed link | files
API > SERVING | reads of recent values | lookup by key and time | calls
API > PREDICTION | values to score | synchronous HTTPS | items
API > MEDIA_INTAKE | requests for an upload | synchronous HTTPS | items
API > DOCUMENTS | which document is wanted | HTTPS | single requests~
API > DEVICE_COMMAND | settings to apply | enqueue | single commands~
API > WEBHOOKS | changes that receivers subscribed to | enqueue after commit | core
API > NOTIFIER | messages to send | enqueue | messages~
API > EGRESS | calls to outside services | HTTPS | calls
TASK_QUEUE > WORKER | work items | push with retries | items
TASK_QUEUE > MEDIA_WORK | one job a file | push with retries | items
MEDIA_INTAKE > OBJECTS | original files | signed upload | files
MEDIA_INTAKE > DOCUMENT_STORE | state of each upload | client library | items
OBJECTS > TASK_QUEUE | notice of a new file | event | items
MEDIA_WORK > OBJECTS | finished files | object write | all forms of each file
MEDIA_WORK > DOCUMENT_STORE | state of each job | client library | items
DEVICE_GATEWAY > EVENT_LOG | readings | publish at least once | device
EVENT_COLLECTOR > EVENT_LOG | accepted events | publish at least once | wide
EVENT_LOG > WORKER | business events | subscription at least once | items
EVENT_LOG > STREAM | events in arrival order | subscription | wide
EVENT_LOG > MASKING | samples of stored fields | inspection job | a sample of each day~
EVENT_LOG > RAW | events unchanged | files of some minutes | wide
EVENT_LOG > WAREHOUSE | rows as they arrive | streamed insert | items
STREAM > ALARM | cleaned readings | stream | items
STREAM > SERVING | current values | write by key | current
STREAM > WAREHOUSE | finished {w} and aggregates | streamed insert | items
STREAM > ARCHIVE | readings in hourly files | object write | wide
STREAM > PREDICTION | features of the last minutes | call in batches | items
ALARM > NOTIFIER | alarms | enqueue with priority | alarms~
DEVICE_COMMAND > DEVICE_GATEWAY | settings and updates | MQTT topic a device | single commands~
DEVICE_COMMAND > OBJECTS | update files | signed link | files
BATCH_LOAD > RAW | deliveries unchanged | files | night
RAW > TRANSFORM | deliveries to check and model | bulk load | night
TRANSFORM > MASKING | columns with personal data | classification | night
TRANSFORM > WAREHOUSE | modelled tables | set-based SQL | night
ORCHESTRATION > BATCH_LOAD | start and retry of each load | control call | night
ORCHESTRATION > TRANSFORM | start after all its inputs are there | control call | night
WAREHOUSE > DASHBOARD | prepared figures | SQL over TLS | readers
SERVING > DASHBOARD | figures of the last minutes | lookup | readers
WAREHOUSE > TRAINING | history to learn from | bulk read | each training run~
SERVING > PREDICTION | recent features | lookup by key | items
RAW > TRAINING | history to learn from | bulk read | each training run~
OBJECTS > TRAINING | training files | bulk read | each training run~
TRAINING > PREDICTION | a model version that passed | model registry | each release~
MASKING > WAREHOUSE | masked columns and their policy | column policy | readers
METADATA > STREAM | the valid schema | lookup | each schema version~
METADATA > WAREHOUSE | owners and meaning of tables | harvest | each table~
DOC_INTAKE > OBJECTS | a copy of each document | object write | corpus
DOC_INTAKE > RETRIEVAL | passages with access rights | index write | corpus
ANSWER > RETRIEVAL | the question with the asker's groups | filtered query | items
ANSWER > INFERENCE | the question with the passages found | streamed call | items
ANSWER > ARCHIVE | questions and answers with their sources | append only | items
ANSWER > EGRESS | look-ups outside | HTTPS through an allow list | items
EVALUATION > ANSWER | questions with known answers | HTTPS | each release~
WORKER > ANSWER | what is to be summarised | HTTPS | single requests~
WORKER > RELATIONAL | results | pooled SQL over TLS | items
WORKER > FILE_EXCHANGE | finished files | object write | nightly files~
FILE_EXCHANGE > RAW | delivered files | object event | night
FILE_EXCHANGE > BATCH_LOAD | delivered files | object event | night
RELATIONAL > FILE_EXCHANGE | rows to export | read replica query | nightly files~
DOCUMENTS > SERVING | the data of the document | lookup | single requests~
DOCUMENTS > OBJECTS | finished documents | object write | files
FORM > NOTIFIER | the entry | enqueue | the few entries~
PREDICTION > OBJECTS | the model version in use | object read | each release~
PREDICTION > NOTIFIER | warnings | enqueue | warnings~
RELATIONAL > ARCHIVE | closed records | object write | closed records~
WAREHOUSE > ARCHIVE | closed periods | object write | closed periods~
OBJECTS > ARCHIVE | files past their use | lifecycle move | files
DATA_REQUESTS > RELATIONAL | export or erasure of one tenant | SQL over TLS | single requests~
DATA_REQUESTS > WAREHOUSE | export and erasure of one person | SQL over TLS | single requests~
DATA_REQUESTS > OBJECTS | export files and files to erase | object calls | files
HYBRID_LINK > DATA_MOVE | the existing data | private connection | stored
HYBRID_LINK > DOC_INTAKE | documents from the site | private connection | corpus
HYBRID_LINK > BATCH_LOAD | nightly deliveries | private connection | night
HYBRID_LINK > PRIVATE_ENTRY | calls from the offices | private connection | calls
HYBRID_LINK > WORKLOAD_MOVE | images and builds | private connection | one transfer a program~
WORKLOAD_MOVE > API | repackaged programs | image release | one release a program~
DATA_MOVE > RELATIONAL | initial copy and changes | change capture | stored
DATA_MOVE > DOCUMENT_STORE | initial copy and changes | change capture | stored
DATA_MOVE > WAREHOUSE | history | verified bulk load | stored
DATA_MOVE > OBJECTS | existing files | verified bulk copy | stored
CUTOVER > PUBLIC_ENTRY | share of traffic to the new side | weighted switch | calls
CUTOVER > CONTENT_DELIVERY | the name that visitors use | name change | calls
CUTOVER > DATA_MOVE | stop and final check or reverse | control call | stored
CUTOVER > DASHBOARD | which reports read the new side | connection change | one report at a time~
RELATIONAL > BACKUP | backups and rehearsed restores | managed snapshot and log | kept
DOCUMENT_STORE > BACKUP | backups and rehearsed restores | managed snapshot | kept
API > KEYS | secrets at start-up | secret read by identity | each start~
ANSWER > KEYS | secrets at start-up | secret read by identity | each start~
STREAM > KEYS | secrets and keys | secret read by identity | each start~
BATCH_LOAD > KEYS | credentials of the sources | secret read by identity | each run~
MEDIA_WORK > KEYS | secrets at start-up | secret read by identity | each start~
DEVICE_GATEWAY > KEYS | trust anchors of the devices | certificate bundle | each rotation~
PREDICTION > KEYS | secrets at start-up | secret read by identity | each start~
PERIMETER > RETRIEVAL | who may reach the data from where | policy | every call~
PERIMETER > RELATIONAL | who may reach the data from where | policy | every call~
RELATIONAL > AUDIT | reads and changes with the person behind them | audit record | core
API > AUDIT | calls with the person behind them | audit record | calls
ANSWER > AUDIT | questions with the person behind them | audit record | items
WAREHOUSE > AUDIT | queries with the person behind them | audit record | readers
DELIVERY > API | tested releases | gradual rollout | each release~
DELIVERY > ANSWER | releases that passed the evaluation | gradual rollout | each release~
DELIVERY > STREAM | new processing versions | replace after drain | each release~
DELIVERY > TRANSFORM | reviewed transformations | release | each release~
DELIVERY > MEDIA_WORK | tested releases | gradual rollout | each release~
DELIVERY > PREDICTION | tested releases | gradual rollout | each release~
PUBLISHING > SITE_FILES | the built site | upload in one step | each publication~
API > OBSERVABILITY | errors and delay and saturation | metrics and logs | calls
STREAM > OBSERVABILITY | backlog and age of the oldest event | metrics and logs | items
ORCHESTRATION > OBSERVABILITY | failed and late runs | metrics and logs | night
BATCH_LOAD > OBSERVABILITY | failed and late loads | metrics and logs | night
ANSWER > OBSERVABILITY | errors and delay and refused answers | metrics and logs | items
MEDIA_WORK > OBSERVABILITY | waiting and failed jobs | metrics and logs | items
PREDICTION > OBSERVABILITY | errors and delay and drift | metrics and logs | items
COST_GUARD > OBSERVABILITY | spend against the limit | billing export and alerts | daily~
COST_GUARD > INFERENCE | the quota of the month | quota | daily~
"""

_THROUGH = """
PUBLIC_ENTRY > API > API_MANAGEMENT
PUBLIC_ENTRY > WEB_FRONT > CONTENT_DELIVERY
PUBLIC_ENTRY > PREDICTION > API
PUBLIC_ENTRY > PREDICTION > STREAM
API > PREDICTION > STREAM
API > TASK_QUEUE > WEBHOOKS
SIGN_IN > MEDIA_INTAKE > API
SIGN_IN > PREDICTION > API
API > TASK_QUEUE > MEDIA_INTAKE
PUBLIC_ENTRY > MEDIA_INTAKE > API
EVENT_LOG > WAREHOUSE > STREAM
RAW > TRAINING > WAREHOUSE
OBJECTS > TRAINING > WAREHOUSE
EVENT_LOG > MASKING > TRANSFORM
BATCH_LOAD > OBSERVABILITY > ORCHESTRATION
RELATIONAL > FILE_EXCHANGE > WORKER
FILE_EXCHANGE > BATCH_LOAD > RAW
OBJECTS > ARCHIVE > RELATIONAL
OBJECTS > ARCHIVE > STREAM
OBJECTS > ARCHIVE > ANSWER
WAREHOUSE > ARCHIVE > STREAM
RELATIONAL > ARCHIVE > STREAM
HYBRID_LINK > PRIVATE_ENTRY > PUBLIC_ENTRY
CONTENT_DELIVERY > OBJECTS > WEB_FRONT
API > AUDIT > RELATIONAL
"""


def _link(line: str) -> Link:
    ends, what, style, volume = (cell.strip() for cell in line.split(" | "))
    source, target = ends.split(" > ")
    return Link(Part[source], Part[target], what, style, volume.replace("~", ""))


LINKS: tuple[Link, ...] = tuple(_link(line) for line in _TABLE.strip().splitlines())

THROUGH: tuple[tuple[Part, Part, Part], ...] = tuple(
    (Part[a], Part[z], Part[middle])
    for a, z, middle in (line.split(" > ") for line in _THROUGH.strip().splitlines())
)
"""A direct flow (first to second) that falls away where the third part stands between them."""
