"""A time-stamping authority on loopback: its answers are those of `openssl ts`, its certificates made for a test."""

import datetime
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PEM = serialization.Encoding.PEM
CONFIGURATION = """
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""


@dataclass(frozen=True)
class Authority:
    """What it signs with. chain: whether its answers also hold the certificate of who issued its own."""

    folder: Path
    chain: bool = True

    @property
    def roots(self) -> Path:
        """The root's certificate."""
        return self.folder / "root.pem"

    def answer(self, question: bytes) -> bytes:
        """A TimeStampResp."""
        (self.folder / "question").write_bytes(question)
        more = ["-chain", str(self.folder / "issuers.pem")] if self.chain else []
        subprocess.run(
            [
                *("openssl", "ts", "-reply", "-config", str(self.folder / "configuration"), "-section", "here"),
                *("-queryfile", str(self.folder / "question"), "-signer", str(self.folder / "signer.pem")),
                *("-inkey", str(self.folder / "key.pem"), "-out", str(self.folder / "answer"), *more),
            ],
            check=True,
            capture_output=True,
        )
        return (self.folder / "answer").read_bytes()


def make_authority(folder: Path, *, valid_days: tuple[int, int] = (-1, 30), chain: bool = True) -> Authority:
    """A root, an issuer below it and a signer below that, whose certificate is valid for these days from today."""
    folder.mkdir(exist_ok=True)
    keys = [rsa.generate_private_key(65537, 2048) for _ in range(3)]
    root = _certificate("a root of tests", "a root of tests", keys[0], keys[0], authority=True)
    issuer = _certificate("an issuer of tests", "a root of tests", keys[1], keys[0], authority=True)
    signer = _certificate("stamps of tests", "an issuer of tests", keys[2], keys[1], valid_days=valid_days)
    (folder / "root.pem").write_bytes(root.public_bytes(PEM))
    (folder / "issuers.pem").write_bytes(issuer.public_bytes(PEM))
    (folder / "signer.pem").write_bytes(signer.public_bytes(PEM))
    secret = keys[2].private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(secret)
    (folder / "serial").write_text("01\n")
    (folder / "configuration").write_text(CONFIGURATION.format(folder=folder))
    return Authority(folder, chain)


def _certificate(
    name: str,
    by: str,
    key: rsa.RSAPrivateKey,
    signing: rsa.RSAPrivateKey,
    *,
    authority: bool = False,
    valid_days: tuple[int, int] = (-10, 400),
) -> x509.Certificate:
    today, (first, last) = datetime.datetime.now(datetime.UTC), valid_days
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, one)]) for one in (name, by)]
    made = x509.CertificateBuilder().subject_name(names[0]).issuer_name(names[1]).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number())
    made = made.not_valid_before(today + datetime.timedelta(days=first))
    made = made.not_valid_after(today + datetime.timedelta(days=last))
    made = made.add_extension(x509.BasicConstraints(authority, None), critical=True)
    made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key())
    made = made.add_extension(issuer, critical=False)
    if not authority:
        made = made.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=True)
    return made.sign(signing, hashes.SHA256())


@contextmanager
def served(answer: Callable[[bytes], bytes | None]) -> Iterator[str]:
    """The address at which each question gets its answer; where it is None, the authority is out of order."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = answer(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200 if said is not None else 503)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(said or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()
