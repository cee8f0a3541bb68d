"""Executions in Firestore. ``layout`` says how the documents look, ``DocumentStore`` what is done.

This module speaks the service's API through its generated client and fills the messages itself:
the friendlier ``AsyncClient`` takes more than ten times as long to encode a document of ours, and
retries a commit by itself, which hides whether an answer was missed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary

import google.auth
import grpc.aio
from google.api_core import exceptions as errors
from google.auth.exceptions import GoogleAuthError
from google.cloud.firestore_v1.services.firestore.async_client import FirestoreAsyncClient
from google.cloud.firestore_v1.services.firestore.transports.grpc_asyncio import (
    FirestoreGrpcAsyncIOTransport,
)
from google.cloud.firestore_v1.types import firestore as messages

from engine.ports import StoreError
from engine.stores.database import (
    DocumentWrite,
    Exists,
    Found,
    How,
    Patience,
    Query,
    Refused,
    TooLarge,
    Unsure,
    Where,
)
from engine.stores.document_store import DocumentStore
from engine.stores.layout import Plain

REQUEST_BYTES = 4 * 1024 * 1024
"""The largest request: the service takes more, the emulator answers 429 to it, as to load."""
EMULATOR = "FIRESTORE_EMULATOR_HOST"
_OPTIONS = [
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
]
_OPS = {"==": "EQUAL", "<": "LESS_THAN", ">": "GREATER_THAN"}


class FirestoreDatabase:
    """A Firestore database in Native mode, or the emulator that ``FIRESTORE_EMULATOR_HOST`` names.

    A channel belongs to the event loop that it was opened in, so each loop gets its own.
    """

    def __init__(
        self, project: str | None = None, database: str = "(default)", attempt: float = 10.0
    ) -> None:
        self._emulator = os.environ.get(EMULATOR)
        self._project = project or os.environ.get("GOOGLE_CLOUD_PROJECT")
        self._database = database
        self._attempt = attempt
        self._apis: WeakKeyDictionary[asyncio.AbstractEventLoop, FirestoreAsyncClient] = (
            WeakKeyDictionary()
        )

    async def close(self) -> None:
        """Close this event loop's channel."""
        client = self._apis.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.transport.close()  # type: ignore[no-untyped-call]

    def client(self) -> FirestoreAsyncClient:
        """The client of the running event loop. Raises StoreError without credentials."""
        loop = asyncio.get_running_loop()
        client = self._apis.get(loop)
        if client is None:
            self._apis[loop] = client = self._connect()
        return client

    def _connect(self) -> FirestoreAsyncClient:
        transport = FirestoreGrpcAsyncIOTransport
        if self._emulator:
            self._project = self._project or "local"
            channel = grpc.aio.insecure_channel(self._emulator, options=_OPTIONS)
            return FirestoreAsyncClient(transport=transport(host=self._emulator, channel=channel))
        try:
            credentials, project = google.auth.default(scopes=transport.AUTH_SCOPES)
        except GoogleAuthError as error:
            raise StoreError(
                f"there are no credentials for Firestore ({error}); run `gcloud auth "
                f"application-default login`, or set {EMULATOR} to an emulator"
            ) from error
        self._project = self._project or project
        if not self._project:
            raise StoreError("no project is named for Firestore; set GOOGLE_CLOUD_PROJECT")
        host = transport.DEFAULT_HOST
        channel = transport.create_channel(host, credentials=credentials, options=_OPTIONS)
        return FirestoreAsyncClient(transport=transport(host=host, channel=channel))

    @property
    def _root(self) -> str:
        return f"projects/{self._project}/databases/{self._database}"

    def _name(self, path: str) -> str:
        return f"{self._root}/documents/{path}"

    def _path(self, name: str) -> str:
        return name[len(self._root) + len("/documents/") :]

    def _call(self) -> dict[str, Any]:
        metadata = [("google-cloud-resource-prefix", self._root)]
        if self._emulator:
            metadata.append(("authorization", "Bearer owner"))
        return {"metadata": metadata, "retry": None, "timeout": self._attempt}

    async def get(self, paths: Sequence[str]) -> dict[str, Found]:
        """Documents by path, of those that exist."""
        with _errors():
            client = self.client()
            request = messages.BatchGetDocumentsRequest(
                database=self._root, documents=[self._name(path) for path in paths]
            )
            answers = await client.batch_get_documents(request, **self._call())
            documents = [type(a).pb(a).found async for a in answers if "found" in a]
        found = [self._found(document) for document in documents]
        return {document.path: document for document in found}

    async def query(self, query: Query) -> list[Found]:
        """The documents that a query finds, in its order."""
        with _errors():
            client = self.client()
            parent, _, collection = query.collection.rpartition("/")
            request = messages.RunQueryRequest(
                parent=self._name(parent).rstrip("/"),
                structured_query=_structured(collection, query),
            )
            answers = await client.run_query(request, **self._call())
            documents = [type(a).pb(a).document async for a in answers if "document" in a]
        return [self._found(document) for document in documents]

    async def commit(self, writes: Sequence[DocumentWrite]) -> object:
        """All writes or none; the time that they gave to their documents."""
        client = self.client()
        request = messages.CommitRequest(database=self._root)
        raw = messages.CommitRequest.pb(request)
        for write in writes:
            message = raw.writes.add()
            message.update.name = self._name(write.path)
            for name, value in write.fields.items():
                _fill(message.update.fields[name], value)
            if write.how is How.CREATE:
                message.current_document.exists = False
            elif write.how is How.UPDATE:
                message.update_mask.field_paths.extend(write.fields)
                if write.version is None:
                    message.current_document.exists = True
                else:
                    message.current_document.update_time.CopyFrom(write.version)
        if raw.ByteSize() > REQUEST_BYTES:
            sizes = [message.ByteSize() for message in raw.writes]
            largest = max(range(len(writes)), key=sizes.__getitem__)
            raise TooLarge(
                f"{raw.ByteSize():,} bytes are to be written at once, more than the "
                f"{REQUEST_BYTES:,} that one request may have; the largest part is "
                f"{writes[largest].what} with {sizes[largest]:,}: shorten it. Nothing was written"
            )
        with _errors():
            answer = await client.commit(request, **self._call())
        return messages.CommitResponse.pb(answer).write_results[0].update_time

    def _found(self, document: Any) -> Found:
        return Found(
            self._path(document.name),
            document.update_time,
            lambda: {name: _read(value) for name, value in document.fields.items()},
        )


class FirestoreStore(DocumentStore):
    """Keeps Executions in Firestore. ``project`` is that of the environment unless it is named."""

    def __init__(
        self,
        project: str | None = None,
        database: str = "(default)",
        patience: Patience | None = None,
    ) -> None:
        patience = patience or Patience()
        self.database = FirestoreDatabase(project, database, patience.attempt)
        super().__init__(self.database, patience)

    async def close(self) -> None:
        """Close the running event loop's channel."""
        await self.database.close()


@contextmanager
def _errors() -> Iterator[None]:
    """Turn the API's errors into those that a DocumentDatabase may raise."""
    try:
        yield
    except errors.AlreadyExists as error:
        raise Exists(error.message) from error
    except (errors.FailedPrecondition, errors.Aborted, errors.NotFound) as error:
        if "database" in error.message and "does not exist" in error.message:
            raise StoreError(f"Firestore is not set up: {error.message}") from error
        raise Refused(error.message) from error
    except (
        errors.ServerError,
        errors.TooManyRequests,
        errors.Cancelled,
        errors.RetryError,
    ) as error:
        raise Unsure(f"{type(error).__name__}: {error.message}") from error
    except (errors.Forbidden, errors.Unauthorized) as error:
        raise StoreError(
            f"Firestore did not let us in ({error.message}); the service account needs "
            "roles/datastore.user on the project"
        ) from error
    except errors.GoogleAPICallError as error:
        raise StoreError(f"Firestore refused the request: {error.message}") from error


# -- values on the wire ------------------------------------------------------------------------


def _fill(message: Any, value: Plain) -> None:
    """Put a value into an empty ``google.firestore.v1.Value``."""
    if value is None:
        message.null_value = 0
    elif isinstance(value, bool):
        message.boolean_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, int):
        message.integer_value = value
    elif isinstance(value, datetime):
        message.timestamp_value.FromDatetime(value)
    elif isinstance(value, dict):
        message.map_value.SetInParent()
        for name, inner in value.items():
            _fill(message.map_value.fields[name], inner)
    else:
        message.array_value.SetInParent()
        for inner in value:
            _fill(message.array_value.values.add(), inner)


def _read(message: Any) -> Plain:
    """The value in a ``google.firestore.v1.Value``; of a kind that we never write, its text."""
    match message.WhichOneof("value_type"):
        case "null_value":
            return None
        case "map_value":
            return {name: _read(inner) for name, inner in message.map_value.fields.items()}
        case "array_value":
            return [_read(inner) for inner in message.array_value.values]
        case "timestamp_value":
            moment: datetime = message.timestamp_value.ToDatetime(tzinfo=UTC)
            return moment
        case "string_value" | "integer_value" | "boolean_value" as kind:
            value: str | int | bool = getattr(message, kind)
            return value
        case _:
            return str(message)


def _structured(collection: str, query: Query) -> Mapping[str, Any]:
    """A query as the API takes it."""
    structured: dict[str, Any] = {"from_": [{"collection_id": collection}]}
    if query.where:
        filters = [_condition(where) for where in query.where]
        structured["where"] = {"composite_filter": {"op": "AND", "filters": filters}}
    if query.order_by:
        direction = "DESCENDING" if query.descending else "ASCENDING"
        field = {"field_path": query.order_by}
        structured["order_by"] = [{"field": field, "direction": direction}]
    if query.limit is not None:
        structured["limit"] = query.limit
    if query.fields:
        structured["select"] = {"fields": [{"field_path": name} for name in query.fields]}
    return structured


def _condition(where: Where) -> Mapping[str, Any]:
    kinds = {str: "string_value", int: "integer_value"}
    return {
        "field_filter": {
            "field": {"field_path": where.field},
            "op": _OPS[where.op],
            "value": {kinds.get(type(where.value), "timestamp_value"): where.value},
        }
    }
