"""An OpenAPI document as rows for a page."""

import json
from typing import Any


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Its operations, each with what it takes and gives."""
    return [
        {
            "method": method.upper(),
            "path": route,
            "summary": operation.get("description") or operation.get("summary", ""),
            "parameters": operation.get("parameters", []),
            "body": _schema(document, operation.get("requestBody", {})),
            "answers": [
                {"status": status, "fields": _schema(document, answer)}
                for status, answer in operation.get("responses", {}).items()
            ],
        }
        for route, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def _schema(document: dict[str, Any], holder: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of a body or an answer."""
    schema = holder.get("content", {}).get("application/json", {}).get("schema", {})
    options = [schema, *schema.get("anyOf", [])]
    name = next((o["$ref"].rsplit("/", 1)[-1] for o in options if "$ref" in o), "")
    found = document.get("components", {}).get("schemas", {}).get(name, schema)
    required = set(found.get("required", []))
    return [
        {"name": key, "type": _type(field), "required": key in required, "description": field.get("description", "")}
        for key, field in found.get("properties", {}).items()
    ]


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return " | ".join(json.dumps(v) for v in field["enum"])
    if "anyOf" in field:
        return " | ".join(_type(f) for f in field["anyOf"])
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[-1]
    if field.get("type") == "array":
        return f"[{_type(field.get('items', {}))}]"
    return str(field.get("const", field.get("type", "any")))
