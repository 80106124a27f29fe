"""PDF written by hand, for what its programs get wrong: maps of characters, and columns."""

from collections.abc import Mapping, Sequence

SIZE, LEADING = 12, 18  # points


def mapped_pdf(lines: Sequence[str], shown_as: Mapping[str, str] | None) -> bytes:
    """A page of lines in a font whose codes are numbers of its own. shown_as: what its map says of each character;
    None: it has no map.
    """
    codes = {sign: 0x2E80 + 37 * at for at, sign in enumerate(dict.fromkeys("".join(lines)))}
    drawn = "".join(
        f"1 0 0 1 40 {780 - LEADING * at} Tm <{''.join(f'{codes[sign]:04x}' for sign in line)}> Tj\n"
        for at, line in enumerate(lines)
    )
    content = f"BT /F1 {SIZE} Tf\n{drawn}ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 840]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/Identity-H/DescendantFonts[6 0 R]%s>>"
        % (b"" if shown_as is None else b"/ToUnicode 8 0 R"),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Own/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>/DW 1000/FontDescriptor 7 0 R>>",
        b"<</Type/FontDescriptor/FontName/Own/Flags 4/Ascent 880/Descent -120/CapHeight 880/StemV 80/ItalicAngle 0"
        b"/FontBBox[0 -120 1000 880]>>",
    ]
    if shown_as is not None:
        objects.append(_stream(_map({code: shown_as.get(sign, sign) for sign, code in codes.items()})))
    return _file(objects)


def _map(shown: Mapping[int, str]) -> str:
    rows = [f"<{code:04x}> <{sign.encode('utf-16-be').hex()}>" for code, sign in shown.items()]
    blocks = (rows[at : at + 100] for at in range(0, len(rows), 100))
    body = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{body}\nendcmap end end"
    )


def _stream(text: str) -> bytes:
    return b"<</Length %d>>stream\n%s\nendstream" % (len(text), text.encode())


def _file(objects: Sequence[bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start))
