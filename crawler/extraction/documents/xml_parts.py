"""Parse XML of strangers: broken documents as far as they go, and no entity expanded."""

from typing import Any, TypeAlias

from lxml import etree

XmlElement: TypeAlias = Any  # lxml's class of elements has a private name


def parse_xml(content: bytes) -> XmlElement | None:
    """The root of a document, of a broken one as much as can be read; None of none."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    try:
        return etree.fromstring(content.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def local_name(element: XmlElement) -> str:
    """The name of an element or attribute without its namespace; empty for comments and instructions."""
    name = element if isinstance(element, str) else element.tag
    return name.rpartition("}")[2].rpartition(":")[2] if isinstance(name, str) else ""
