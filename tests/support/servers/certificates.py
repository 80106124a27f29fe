"""Certificates for servers on this machine, and a door that speaks TLS before a server that does not."""

import datetime
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def make_certificates(folder: Path) -> tuple[Path, Path]:
    """Files of an authority, and of a server at 127.0.0.1 (its certificate with its key)."""
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority of tests")])
    authority = _signed(issuer, issuer, authority_key.public_key(), authority_key, x509.BasicConstraints(True, None))
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    server = _signed(subject, issuer, key.public_key(), authority_key, names)
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    ca, own = folder / "ca.pem", folder / "server.pem"
    ca.write_bytes(authority.public_bytes(pem))
    own.write_bytes(server.public_bytes(pem) + secret)
    return ca, own


def _signed(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    by: ec.EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    made = made.serial_number(x509.random_serial_number()).add_extension(extension, critical=True)
    made = made.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
    return made.sign(by, hashes.SHA256())


@contextmanager
def tls_door(inner: str | int, certificate: Path) -> Iterator[int]:
    """A port on which TLS is spoken, and passed on to the server at a unix socket, or at another port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    taken, _ = listening.accept()
                    threading.Thread(target=serve, args=(taken,), daemon=True).start()

        def serve(taken: socket.socket) -> None:
            with suppress(OSError), context.wrap_socket(taken, server_side=True) as outside:
                inside = socket.socket(socket.AF_UNIX if isinstance(inner, str) else socket.AF_INET)
                inside.connect(inner if isinstance(inner, str) else ("127.0.0.1", inner))
                threading.Thread(target=pump, args=(inside, outside), daemon=True).start()
                pump(outside, inside)

        def pump(source: socket.socket, sink: socket.socket) -> None:
            with suppress(OSError):
                while got := source.recv(65536):
                    sink.sendall(got)
            with suppress(OSError):
                sink.shutdown(socket.SHUT_RDWR)

        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
