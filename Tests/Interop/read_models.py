"""Reads and writes a complete sample of each model with Apple's Python library.

Usage: read_models.py QUESTIONS ANSWERS, both JSON files. QUESTIONS is not used. See ModelInteropTests.swift for the answers.
"""

import enum
import importlib
import inspect
import json
import pkgutil
import sys
import typing
import uuid

import attr
import appstoreserverlibrary.models
from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.LibraryUtility import _get_cattrs_converter

# Base classes, and the request whose members are query parameters.
NO_BODIES = {"AdvancedCommerceRequest", "TransactionHistoryRequest"}
TEXT = "7e3fb20b-4cdb-47cc-936d-99d65f608138"


def models():
    """The library's models by name."""
    found = {}
    for module in pkgutil.iter_modules(appstoreserverlibrary.models.__path__):
        module = importlib.import_module(f"{appstoreserverlibrary.models.__name__}.{module.name}")
        for name, model in inspect.getmembers(module, inspect.isclass):
            is_body = attr.has(model) and not inspect.isabstract(model) and not name.startswith("Abstract")
            if is_body and model.__module__ == module.__name__ and name not in NO_BODIES:
                found[name] = model
    return found


def sample(wanted, name, choose):
    """JSON for a value of a type. `choose` selects the value of an enumeration."""
    parts = typing.get_args(wanted)
    if typing.get_origin(wanted) is typing.Union:
        return sample(next(part for part in parts if part is not type(None)), name, choose)
    if typing.get_origin(wanted) is list:
        return [sample(parts[0], name, choose)]
    if typing.get_origin(wanted) is dict:
        return {sample(parts[0], name, choose): sample(parts[1], name, choose)}
    if attr.has(wanted):
        return members(wanted, choose)
    if issubclass(wanted, enum.Enum):
        return choose([member.value for member in wanted])
    # Most texts may be a UUID; the library refuses names of more than 30 characters.
    return {str: "name" if name == "displayName" else TEXT, uuid.UUID: TEXT, int: 5, bool: True}[wanted]


def members(model, choose):
    attr.resolve_types(model)
    result = {}
    for field in attr.fields(model):
        kind = field.metadata.get("typeOfField")
        if kind != "raw":
            result[field.name] = sample(field.type, field.name, choose) if field.init else field.default
    return result


def known(values):
    return values[-1]


def unknown(values):
    return "UNLISTED" if isinstance(values[0], str) else 97


def main():
    answers = []
    for name, model in sorted(models().items()):
        converter = _get_cattrs_converter(model)
        for choose in (known, unknown):
            text = members(model, choose)
            try:
                written = json.dumps(converter.unstructure(converter.structure(text, model)))
            except Exception:  # cattrs collects what the models raise.
                written = None
            answers.append({"name": name, "sample": json.dumps(text), "written": written})
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"models": answers, "errors": [error.value for error in APIError]}, file)


main()
