"""Define `wenhen evidence`."""

from pathlib import Path

import click

from wenhen.cli.console import (
    CASE_NUMBER,
    NewFile,
    command_acting,
    json_option,
    open_product,
    print_json,
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
@click.pass_context
def make(ctx: click.Context, number: int, out: Path | None) -> None:
    """Create an exhibit of CASE now, request its time stamp, and write the file."""
    from wenhen.evidence.exhibit_creation import make_exhibit_now

    with open_product(ctx) as app:
        acting = command_acting(app)
        made = make_exhibit_now(acting, number)
        request_due_stamps(app)
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
@click.pass_context
def list_(ctx: click.Context, number: int) -> None:
    """List the exhibits of CASE, newest first."""
    with open_product(ctx) as app:
        app.store.cases.get(str(number))
        case_exhibits = find_case_exhibits(app, number)
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
@click.pass_context
def get(ctx: click.Context, id: str, out: Path | None) -> None:
    """Write the file of EXHIBIT, including its time stamp if there is one by now."""
    with open_product(ctx) as app:
        file = export_exhibit(command_acting(app), id)
    write_file(out or Path(file.name), file.content)


@evidence.command()
@click.argument("id", metavar="EXHIBIT")
@click.option(
    "--out",
    "-o",
    type=NewFile(),
    help="File to write (.json). Default: named by case and exhibit, in the current folder.",
)
@click.pass_context
def manifest(ctx: click.Context, id: str, out: Path | None) -> None:
    """Write the manifest of EXHIBIT and print its SHA-256, for a notary, tsa.cn or a court blockchain to certify."""
    with open_product(ctx) as app:
        file = export_manifest(command_acting(app), id)
    write_file(out or Path(file.name), file.content)
    click.echo(file.digest)


@evidence.group()
def receipt() -> None:
    """Store and export receipts that third parties issued for the manifest of an exhibit."""


@receipt.command()
@click.argument("id", metavar="EXHIBIT")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--by", "issuer", required=True, help="Who issued it: a notary, an authority, the chain of a court.")
@click.pass_context
def add(ctx: click.Context, id: str, path: Path, issuer: str) -> None:
    """Store FILE as a receipt for the manifest of EXHIBIT, and print its id."""
    with open_product(ctx) as app:
        kept = store_receipt(command_acting(app), id, issuer, path.name, read_file(path))
    click.echo(kept.id)


@receipt.command("get")
@click.argument("id", metavar="EXHIBIT")
@click.argument("receipt_id", metavar="RECEIPT")
@click.option("--out", "-o", type=NewFile(), help="File to write. Default: its own name, in the current folder.")
@click.pass_context
def get_receipt(ctx: click.Context, id: str, receipt_id: str, out: Path | None) -> None:
    """Write the original file of RECEIPT."""
    with open_product(ctx) as app:
        file = export_receipt(command_acting(app), id, receipt_id)
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
    if wants_json():
        print_json([{"standing": check.standing, "code": check.what.code, "text": str(check.what)} for check in checks])
    else:
        for check in checks:
            click.echo(f"{_STATE_SIGNS[check.standing]} {check.what.text('zh')}\n  {check.what.text('en')}")
    if failed := sum(check.standing == "fails" for check in checks):
        raise WenhenError("evidence.not_genuine", path=path, count=failed)


@evidence.command()
@click.pass_context
def key(ctx: click.Context) -> None:
    """Print the fingerprint of the signing key of this installation. Publish it in advance."""
    with open_product(ctx) as app:
        click.echo(signing_key_fingerprint(app))


@evidence.command()
@click.argument("id", metavar="EXHIBIT")
@click.pass_context
def unmask(ctx: click.Context, id: str) -> None:
    """Print the original headers of EXHIBIT, including the cookies and sessions that its file masks."""
    with open_product(ctx) as app:
        heads = unmask_exhibit(command_acting(app), id)
    for head in heads:
        click.echo(head)
