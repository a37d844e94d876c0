"""The life of Vault's AWS auth method, lived by hvac: a briefing on standard input, a line for every step on the output."""
import json
import sys
from importlib.metadata import version

import hvac
import requests

import configuration
import deny_list
import logins
import roles
import sweeping
import tokens
from checks import did, expect, expect_members


class Desk:
    """The cloud's operator: tags and terminates instances and lets time pass."""

    def __init__(self, url):
        self._url = url

    def tag(self, instance_id, tags):
        self._order({"instance_id": instance_id, "tags": tags})

    def terminate(self, instance_id):
        self._order({"instance_id": instance_id, "terminate": True})

    def let_pass(self, seconds):
        self._order({"pass_seconds": seconds})

    def _order(self, order):
        requests.post(self._url, json=order, timeout=10).raise_for_status()


def check_health(client):
    health = client.sys.read_health_status(method="GET")
    expect_members(health, {"initialized": True, "sealed": False, "standby": False}, "health")
    expect(client.sys.read_health_status(method="HEAD").status_code, 200, "health by HEAD")
    expect((client.sys.is_initialized(), client.sys.is_sealed()), (True, False), "the seal")
    expect_members(client.sys.read_leader_status(), {"ha_enabled": False, "is_self": True}, "the leader")
    methods = client.sys.list_auth_methods()["data"]
    expect([methods[name]["type"] for name in ("aws/", "token/")], ["aws", "token"], "auth methods")
    expect(client.sys.list_mounted_secrets_engines()["data"]["sys/"]["type"], "system", "mounts")
    may = client.sys.get_capabilities(paths=["auth/aws/role/web"])["data"]
    expect(may, {"auth/aws/role/web": ["root"], "capabilities": ["root"]}, "capabilities")
    expect(client.is_authenticated(), True, "is_authenticated")
    did("read the health, and is authenticated")


def main():
    briefing = json.load(sys.stdin)
    strict = briefing["strict_http"]
    print(f"  hvac {version('hvac')}, requests {version('requests')}, Python {sys.version.split()[0]}")
    # One session for all: its connections are kept alive over every kind of request.
    client = hvac.Client(
        url=briefing["url"], token=briefing["root_token"], namespace="root", strict_http=strict
    )

    def guest():
        """A client without a token, as an instance has it."""
        return hvac.Client(url=briefing["url"], strict_http=strict)

    desk = Desk(briefing["desk"])
    check_health(client)
    configuration.configure(client, briefing)
    roles.write_and_read(client, briefing)
    logins.ec2(client, guest, briefing)
    logins.iam(client, guest, briefing)
    deny_list.tag_and_bar(client, guest, desk, briefing)
    tokens.use_and_end(client, guest, briefing)
    sweeping.tidy(client, desk, briefing)
    configuration.remove(client, briefing)
    roles.remove(client)


main()
