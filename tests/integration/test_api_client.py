"""The Python client of the API is generated, installed by pip as its user does, and used on a served dashboard."""

import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.api import describe_api
from tests.support.people import add_token, add_user
from tests.support.seed import Seeder, product_over
from tests.support.servers.served import dashboard_over
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import SetupError
from wenhen.kit.rights import Role
from wenhen.runtime.commands import write_api_client

USE = """
import sys
from wenhen_client import AuthenticatedClient
from wenhen_client.api.api_works import works_edit, works_find
from wenhen_client.models import WorkDetails

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
edited = works_edit.sync(client=client, id="dock", body=WorkDetails(title="船匠"))
print(edited.title, [work.title for work in works_find.sync(client=client, limit=5).items])
print(works_edit.sync(client=client, id="nowhere", body=WorkDetails(title="船匠")).message)
"""


def test_the_client_is_installed_and_does_what_the_api_does(store: Store, redis_url: str, tmp_path: Path) -> None:
    write_api_client(describe_api(), tmp_path / "client")
    with pytest.raises(SetupError, match="there already"):
        write_api_client(describe_api(), tmp_path / "client")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    subprocess.run([*pip, "--target", str(tmp_path / "there"), str(tmp_path / "client")], check=True)
    Seeder(store).work()
    _, token = add_token(store, add_user(store, "admin", Role.ADMINISTRATOR), days=None)
    with product_over(store, redis_url) as product, dashboard_over(product, sign_in=True) as address:
        done = subprocess.run(
            [sys.executable, "-c", USE, address, token],
            env={"PYTHONPATH": str(tmp_path / "there")},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["船匠 ['船匠']", "No work has the id nowhere."]
