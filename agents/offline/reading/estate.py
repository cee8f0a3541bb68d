"""What runs today, and the systems around that the workload must live with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.facts import Figure, Measure
from agents.offline.reading.context import is_current
from agents.offline.reading.text import Phrases, Sentence, unique, vocabulary

_I = re.IGNORECASE


def _spelt(entries: str) -> Phrases[str]:
    """A vocabulary of names as they are spelt; ``|`` stands between two."""
    return Phrases({entry.lower(): entry for entry in re.split(r"\|", entries)})


_SYSTEMS = _spelt(
    "AIX|Solaris|HP-UX|Oracle|Oracle RAC|Oracle Database|Exadata|SQL "
    "Server|PostgreSQL|Postgres|MySQL"
    "|MariaDB|MongoDB|Cassandra|Redis|Memcached|Elasticsearch|OpenSearch|Solr|DB2|Sybase"
    "|Informix|Teradata|Snowflake|Redshift|Netezza|Vertica|Hadoop|Cloudera|Hive|HBase"
    "|Spark|Spark Streaming|Flink|Kafka|RabbitMQ|ActiveMQ|IBM MQ|Kinesis|EMR|SQS|SNS"
    "|Lambda|DynamoDB|Aurora|RDS|EC2|ECS|EKS|S3|Glue|Athena|CloudFront|AWS|Azure"
    "|Azure SQL|AKS|Event Hubs|Synapse|Databricks|Heroku|Hetzner|OVH|VMware|vSphere"
    "|Hyper-V|Proxmox|OpenStack|OpenShift|Kubernetes|Docker|F5|HAProxy|nginx|Apache"
    "|Tomcat|JBoss|WebLogic|WebSphere|IIS|.NET|.NET Framework|Java|Spring Boot|PHP"
    "|Ruby on Rails|Rails|Django|Node.js|COBOL|mainframe|AS/400|Windows Server|RHEL"
    "|Ubuntu|SSIS|SSRS|SSAS|Informatica|Talend|Airflow|Jenkins|GitLab|Magento|Shopware"
    "|WordPress|Wix|Squarespace|Jimdo|WooCommerce|PrestaShop|Webflow|"
    "Drupal|TYPO3|Perl|Lua|NetApp|NAS|file server|tape|Nagios|Splunk|Power BI"
    "|Tableau|Qlik|Excel|Access|FTP|SFTP|ThingsBoard|Mosquitto|Fivetran|InfluxDB"
    "|ClickHouse|Druid|BizTalk|TIBCO|MuleSoft"
)
_OUTSIDE = _spelt(
    "SAP|SAP S/4HANA|SAP EWM|SAP ERP|SAP R/3|SAP HANA|SAP Commerce|Salesforce|Shopify"
    "|Stripe|PayPal|Adyen|Klarna|Braintree|Worldpay|Guidewire|Guidewire ClaimCenter"
    "|Workday|ServiceNow|Jira|Entra ID|Azure AD|Active Directory|Okta|Auth0|Keycloak|LDAP"
    "|ADFS|SharePoint|OneDrive|Exchange|Microsoft 365|Office 365|Teams|Slack|Twilio"
    "|SendGrid|Mailchimp|HubSpot|Zendesk|Dynamics|Dynamics 365|Navision|Power BI|Tableau"
    "|Qlik|DATEV|Xero|QuickBooks|Epic|Cerner|FHIR|HL7|PACS|SWIFT|Bloomberg"
    "|Google Analytics|Google Ads|Facebook Ads|Meta Ads|Segment|Amplitude|Contentful"
    "|Akamai|Cloudflare|Fastly|GitHub|GitLab|Jenkins|Splunk|Datadog|New Relic|PagerDuty"
    "|Opsgenie|UPS|DHL|FedEx|SMTP|SFTP|ERP|CRM|PIM|WMS|MES|POS|mail provider"
    "|payment provider|SMS provider|identity provider|data provider|credit bureau"
    "|tax service|Avalara|ebay|Amazon|Warenwirtschaft|Zahlungsanbieter"
    "|fournisseur d'identité|pasarela de pago|PKI|BankID"
)
_UPPER_ONLY = vocabulary(
    """SAP ERP CRM PIM WMS MES POS PKI UPS NAS EMR RDS SNS SQS S3 IIS PACS SWIFT AWS ECS Access
    Excel Teams Epic Segment Exchange Dynamics Glue Hive Spark Lambda Amazon Slack Rails
    Apache Stripe Aurora Druid Lua Perl Java Docker Oracle"""
)
_ALIAS = {"SFTP": "SFTP exchange", "SMTP": "mail server", "PKI": "own PKI"}
_RUN_UP = re.compile(r"^(?:(?:and|but|so)(?: that)? |I should also mention that )", _I)
_FLOW = re.compile(
    r"\bAPI of (?P<a>[A-Z][\w&-]+)|\b(?P<b>[A-Z][\w&-]+)['’]s? (?:public )?API\b|\bwebhooks?\b"
    r"|\bvia (?:SFTP|FTP|API)\b"
    r"|\bthird[- ]part\w+|\bpartner\w*\b(?= (?:API|system|feed))|\bfeeds? from\b|\bcalls us\b", _I,
)  # fmt: skip
_DESCRIBES = re.compile(
    r"\b(?:runs?|sits?|writes? to|lands? in|behind|stored? in|hosted|uses?|based on|built (?:on"
    r"|with)|consists?"
    r"|läuft|laufen|liegt|betreiben|tourne\w*|héberg\w+|fonctionne|corre|funciona|alojad\w+"
    r"|we have|wir haben"
    r"|nous avons|tenemos|costs?|falls over|is full|(?:is|are|gets) (?:too |very )?slow)\b", _I,
)  # fmt: skip
_DEMANDS = re.compile(
    r"\b(?:must|shall|should|needs? to|has to|have to|please|want\w*|would like|will|target"
    r"|soll\w*|muss"
    r"|müssen|doi(?:t|vent)|deb(?:e|en))\b", _I,
)  # fmt: skip


def systems(text: str) -> tuple[str, ...]:
    """Names of platforms and products of others that the text names, in their own spelling."""
    return unique(_named(_SYSTEMS, text))


def outside(text: str) -> tuple[str, ...]:
    """Names of systems around the workload."""
    return unique(_named(_OUTSIDE, text))


def _named(phrases: Phrases[str], text: str) -> list[str]:
    return [
        name
        for name, start, end in phrases.find(text)
        if name not in _UPPER_ONLY or text[start:end] == name
    ]


def current_state(sentences: Sequence[Sentence], figures: Sequence[Figure]) -> tuple[str, ...]:
    """Sentences that describe the existing system, as written."""
    now = {f.sentence for f in figures if f.current}
    found: list[str] = []
    mood: tuple[int, bool] = (-1, False)
    for sentence in sentences:
        text = sentence.text
        before = mood[1] if mood[0] == sentence.block else False
        spoken = is_current(text, len(text), None, before)
        mood = (sentence.block, spoken)
        demand = _DEMANDS.search(text) is not None
        tech = systems(text)
        described = bool(tech) and _DESCRIBES.search(text) is not None
        dated = text in now and any(
            f.measure in (Measure.COMPUTE, Measure.BUDGET, Measure.DATA_VOLUME, Measure.ITEMS,
                          Measure.USERS, Measure.DEVICES)
            for f in figures if f.current and f.sentence == text
        )  # fmt: skip
        if any(f.measure is Measure.TEAM for f in figures if f.sentence == text):
            continue
        several = len(tech) >= 2 and not demand
        if dated or several or (described and not demand) or (tech and spoken and not demand):
            found.append(text)
    return unique(found)


def dependencies(sentences: Sequence[Sentence]) -> tuple[str, ...]:
    """Systems around the workload, each as "name: what the request says of it"."""
    found: dict[str, str] = {}
    for sentence in sentences:
        names = list(outside(sentence.text))
        for match in _FLOW.finditer(sentence.text):
            name = match["a"] or match["b"]
            if name and name not in names:
                names.append(name)
        if len(names) > 1:  # "from Epic over FHIR and HL7": a protocol is no system of its own
            names = [n for n in names if n not in ("FHIR", "HL7")] or names
        for name in names:
            if not any(name != other and name in other for other in (*names, *found)):
                found.setdefault(name, _clause(sentence.text, name))
    return tuple(f"{_ALIAS.get(name, name)}: {clause}" for name, clause in found.items())


def _clause(text: str, name: str) -> str:
    """The sentence, or the part of a long one in which the name stands."""
    if len(text) <= 170:
        return text
    at = text.lower().find(name.lower())
    parts = [p for p in re.split(r"(?<=[;:.])\s|,\s(?=(?:and|that|so|but|which)\b)", text) if p]
    position = 0
    for part in parts:
        start = text.find(part, position)
        position = start + len(part)
        if start <= at < position:
            part = _RUN_UP.sub("", part)
            return part.strip(" ,;:") if len(part) > 40 else text
    return text
