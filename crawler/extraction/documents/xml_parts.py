"""Parse untrusted XML. Recover broken documents as far as possible, and expand no entities."""

from typing import Any, TypeAlias

from lxml import etree

XmlElement: TypeAlias = Any  # the element class of lxml has a private name


def parse_xml(content: bytes) -> XmlElement | None:
    """Return the root of a document, recovered if it is broken, or None if nothing can be read."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    try:
        return etree.fromstring(content.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def local_name(element: XmlElement) -> str:
    """Return the name of an element or attribute without its namespace, or "" for comments and instructions."""
    name = element if isinstance(element, str) else element.tag
    return name.rpartition("}")[2].rpartition(":")[2] if isinstance(name, str) else ""
