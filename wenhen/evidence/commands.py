"""Define `wenhen evidence`."""

from pathlib import Path

import click

from wenhen.cli.console import (
    CASE_NUMBER,
    ActingCommand,
    NewFile,
    json_option,
    pass_acting,
    print_json,
    print_record,
    print_records,
    read_file,
    report_write_errors,
    stderr_console,
    to_plain,
    wants_json,
    write_file,
)
from wenhen.evidence.exhibits import (
    export_exhibit,
    export_manifest,
    export_receipt,
    find_case_exhibits,
    store_receipt,
    unmask_exhibit,
)
from wenhen.evidence.signing import request_due_stamps, signing_key_fingerprint
from wenhen.kit.errors import WenhenError

_STATE_SIGNS = {"holds": "✓", "fails": "✗", "note": "·"}


@click.group()
def evidence() -> None:
    """Create and verify exhibits: signed files (WACZ) with the captured page and both texts of a case."""


@evidence.command()
@click.argument("number", metavar="CASE", type=CASE_NUMBER)
@click.option(
    "--out",
    "-o",
    type=NewFile(),
    help="File to write (.wacz). Default: named by the case and the day, in the current folder.",
)
@json_option
@pass_acting
def make(acting: ActingCommand, number: int, out: Path | None) -> None:
    """Create an exhibit of CASE now, request its time stamp, and write the file."""
    from wenhen.evidence.exhibit_creation import make_exhibit_now

    made = make_exhibit_now(acting, number)
    request_due_stamps(acting.product)
    file = export_exhibit(acting, made.id)
    out = out or Path(file.name)
    with report_write_errors(out):
        out.write_bytes(file.content)
    if wants_json():
        print_json({"file": str(out), "bytes": len(file.content), **to_plain(made), "sealed": made.sealed is not None})
        return
    stderr_console().print(f"{out}: {len(file.content)} bytes")
    for lack in made.missing:
        stderr_console().print(f"· {lack.text('zh')} {lack.text('en')}", markup=False)


@evidence.command("list")
@click.argument("number", metavar="CASE", type=CASE_NUMBER)
@json_option
@pass_acting
def list_(acting: ActingCommand, number: int) -> None:
    """List the exhibits of CASE, newest first."""
    acting.product.store.cases.get(str(number))
    case_exhibits = find_case_exhibits(acting.product, number)
    columns = (
        *("编号 id", "缘由 why", "由 by", "制作 made", "时间戳 stamped", "字节 bytes"),
        *("回执 receipts", "问题 problem"),
    )
    print_records(
        [
            {**to_plain(exhibit), "exhibit": {**to_plain(exhibit.exhibit), "sealed": bool(exhibit.exhibit.sealed)}}
            for exhibit in case_exhibits
        ],
        columns,
        (
            (
                exhibit.exhibit.id,
                exhibit.exhibit.why,
                exhibit.exhibit.by,
                exhibit.exhibit.made_at,
                exhibit.stamped_at,
                exhibit.exhibit.size,
                " ".join(f"{receipt.id} {receipt.issuer}" for receipt in exhibit.exhibit.receipts),
                exhibit.problem,
            )
            for exhibit in case_exhibits
        ),
    )


@evidence.command()
@click.argument("id", metavar="EXHIBIT")
@click.option(
    "--out",
    "-o",
    type=NewFile(),
    help="File to write (.wacz). Default: named by the case and the day, in the current folder.",
)
@pass_acting
def get(acting: ActingCommand, id: str, out: Path | None) -> None:
    """Write the file of EXHIBIT, including its time stamp if there is one by now."""
    file = export_exhibit(acting, id)
    write_file(out or Path(file.name), file.content)


@evidence.command()
@click.argument("id", metavar="EXHIBIT")
@click.option(
    "--out",
    "-o",
    type=NewFile(),
    help="File to write (.json). Default: named by case and exhibit, in the current folder.",
)
@pass_acting
def manifest(acting: ActingCommand, id: str, out: Path | None) -> None:
    """Write the manifest of EXHIBIT and print its SHA-256, for a notary, tsa.cn or a court blockchain to certify."""
    file = export_manifest(acting, id)
    write_file(out or Path(file.name), file.content)
    click.echo(file.digest)


@evidence.group()
def receipt() -> None:
    """Store and export receipts that third parties issued for the manifest of an exhibit."""


@receipt.command()
@click.argument("id", metavar="EXHIBIT")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--by", "issuer", required=True, help="Who issued it: a notary, an authority, the chain of a court.")
@pass_acting
def add(acting: ActingCommand, id: str, path: Path, issuer: str) -> None:
    """Store FILE as a receipt for the manifest of EXHIBIT, and print its id."""
    kept = store_receipt(acting, id, issuer, path.name, read_file(path))
    click.echo(kept.id)


@receipt.command("get")
@click.argument("id", metavar="EXHIBIT")
@click.argument("receipt_id", metavar="RECEIPT")
@click.option("--out", "-o", type=NewFile(), help="File to write. Default: its own name, in the current folder.")
@pass_acting
def get_receipt(acting: ActingCommand, id: str, receipt_id: str, out: Path | None) -> None:
    """Write the original file of RECEIPT."""
    file = export_receipt(acting, id, receipt_id)
    write_file(out or Path(file.name), file.content)


@evidence.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--roots",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Root certificates of the authorities (PEM).",
)
@click.option("--key", help="Fingerprint of the key that the file is to be signed with (wenhen evidence key).")
@json_option
def verify(path: Path, roots: Path | None, key: str | None) -> None:
    """Verify FILE from its bytes alone, and print each finding. The exit status is 1 if a check fails."""
    from wenhen.evidence.verification import verify_exhibit

    checks = verify_exhibit(path, roots, key)
    print_record(
        [{"standing": check.standing, "code": check.what.code, "text": str(check.what)} for check in checks],
        *(f"{_STATE_SIGNS[check.standing]} {check.what.text('zh')}\n  {check.what.text('en')}" for check in checks),
    )
    if failed := sum(check.standing == "fails" for check in checks):
        raise WenhenError("evidence.not_genuine", path=path, count=failed)


@evidence.command()
@pass_acting
def key(acting: ActingCommand) -> None:
    """Print the fingerprint of the signing key of this installation. Publish it in advance."""
    click.echo(signing_key_fingerprint(acting.product))


@evidence.command()
@click.argument("id", metavar="EXHIBIT")
@pass_acting
def unmask(acting: ActingCommand, id: str) -> None:
    """Print the original headers of EXHIBIT, including the cookies and sessions that its file masks."""
    heads = unmask_exhibit(acting, id)
    for head in heads:
        click.echo(head)
