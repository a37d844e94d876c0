"""A token looked up, renewed and revoked: by itself, by its text and by its accessor."""
from hvac import exceptions

from checks import did, empty, expect, expect_members, refused


def use_and_end(client, guest, briefing):
    first = briefing["instances"]["first"]

    def login():
        instance = guest()
        instance.auth.aws.ec2_login(first["pkcs7"], nonce="mine", role="web")
        return instance

    instance = login()
    own = instance.auth.token.lookup_self()["data"]
    expect_members(
        own,
        {"id": instance.token, "path": "auth/aws/login", "type": "service", "creation_ttl": 60, "renewable": True},
        "lookup_self",
    )
    renewed = instance.auth.token.renew_self(increment="90s")["auth"]
    expect((renewed["client_token"], renewed["lease_duration"]), (instance.token, 90), "renew_self")
    expect(instance.is_authenticated(), True, "is_authenticated")
    empty(instance.auth.token.revoke_self(), "revoke_self")
    refused("permission_denied", exceptions.Forbidden, instance.auth.token.lookup_self)
    expect(instance.is_authenticated(), False, "is_authenticated")
    did("looked its token up, renewed and revoked it")

    instance = login()
    admin = client.auth.token
    by_text = admin.lookup(instance.token)["data"]
    by_accessor = admin.lookup_accessor(by_text["accessor"])["data"]
    expect(by_accessor, {**by_text, "id": ""}, "lookup_accessor")
    expect(admin.renew(instance.token)["auth"]["lease_duration"], 60, "renew")
    refused("permission_denied", exceptions.Forbidden, instance.auth.token.lookup, instance.token)
    empty(admin.revoke_accessor(by_text["accessor"]), "revoke_accessor")
    expect(instance.is_authenticated(), False, "is_authenticated")
    instance = login()
    empty(admin.revoke(instance.token), "revoke")
    expect(instance.is_authenticated(), False, "is_authenticated")
    instance = login()
    instance.logout(revoke_token=True)
    expect(instance.is_authenticated(), False, "is_authenticated")
    did("looked up, renewed and revoked another's token, by its text and by its accessor")
