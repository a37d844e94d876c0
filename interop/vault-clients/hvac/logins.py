"""Logins of instances by their documents and of principals by hvac's own signature, and what is refused of them."""
from hvac import exceptions

from checks import did, empty, expect, expect_members, missing, refused
from configuration import SERVER_ID


def ec2(client, guest, briefing):
    aws = client.auth.aws
    first = briefing["instances"]["first"]
    instance = guest()
    auth = instance.auth.aws.ec2_login(first["pkcs7"], role="web")["auth"]
    expect(sorted(auth["policies"]), ["default", "metrics", "web"], "policies")
    expect((auth["lease_duration"], auth["renewable"]), (60, True), "lease")
    expect_members(auth["metadata"], {"role": "web", "region": "us-east-1", "auth_type": "ec2"}, "metadata")
    expect(instance.token, auth["client_token"], "the client's token")
    nonce = auth["metadata"]["nonce"]
    again = guest().auth.aws.ec2_login(first["pkcs7"], nonce=nonce, role="web")["auth"]
    expect("nonce" in again["metadata"], False, "a nonce at a second login")
    refused("nonce_mismatch", exceptions.InvalidRequest, guest().auth.aws.ec2_login, first["pkcs7"], role="web")
    did("logged an instance in by PKCS#7, and again with its nonce, not without")

    foreign = briefing["instances"]["foreign"]
    guest().auth.aws.ec2_login(foreign["pkcs7"], nonce="mine", role="web")
    did("logged an instance in whose region's certificate hvac registered")

    partner = briefing["instances"]["partner"]
    refused("account_not_allowed", exceptions.InvalidRequest, guest().auth.aws.ec2_login, partner["pkcs7"], role="web")
    empty(aws.create_sts_role(briefing["partner"]["account"], briefing["partner"]["role_arn"]), "create_sts_role")
    guest().auth.aws.ec2_login(partner["pkcs7"], nonce="mine", role="web")
    did("logged an instance of another account in once an STS role was associated")

    instances = sorted(each["instance_id"] for each in (first, foreign, partner))
    expect(aws.list_identity_whitelist(), {"keys": instances}, "list_identity_whitelist")
    expect_members(
        aws.read_identity_whitelist(first["instance_id"]),
        {"role": "web", "client_nonce": nonce},
        "read_identity_whitelist",
    )
    empty(aws.delete_identity_whitelist_entries(first["instance_id"]), "delete_identity_whitelist_entries")
    missing(aws.read_identity_whitelist, first["instance_id"])
    guest().auth.aws.ec2_login(first["pkcs7"], nonce="mine", role="web")
    did("read, listed and cleared the access list")


def iam(client, guest, briefing):
    for key in (briefing["user"], briefing["session"]):
        caller = guest()
        auth = caller.auth.aws.iam_login(
            key["access_key"],
            key["secret_key"],
            session_token=key["session_token"],
            header_value=SERVER_ID,
            role="people",
        )["auth"]
        expect(sorted(auth["policies"]), ["default", "deploy"], "policies")
        expect_members(auth["metadata"], {"auth_type": "iam", "account_id": "111122223333"}, "metadata")
        expect_members(caller.auth.token.lookup_self()["data"]["meta"], auth["metadata"], "meta")
    did("logged a user and a role session in by its own signature")

    user = briefing["user"]

    def login(**changes):
        key = {"access_key": user["access_key"], "secret_key": user["secret_key"]}
        guest().auth.aws.iam_login(**{**key, "header_value": SERVER_ID, "role": "people", **changes})

    # hvac sends `"role": null` where none is named: the principal's friendly name is sought (LOGIN-5).
    refused("role_not_found", exceptions.InvalidRequest, login, role=None)
    empty(
        client.auth.aws.create_role("alice", auth_type="iam", bound_iam_principal_arn=user["arn"]),
        "create_role",
    )
    login(role=None)
    did("logged a user in to the role of its own name")
    refused("evidence_unverified", exceptions.InvalidRequest, login, header_value=None)
    refused("evidence_unverified", exceptions.InvalidRequest, login, header_value="other.example.org")
    refused("caller_identity_refused", exceptions.InvalidRequest, login, secret_key="x" * 40)
    did("was refused without the server id, with another, and with a wrong secret")
