"""Role tags and the deny list."""
from hvac import exceptions

from checks import did, empty, expect, expect_members, missing, refused


def tag_and_bar(client, guest, desk, briefing):
    aws = client.auth.aws
    tagged = briefing["instances"]["tagged"]

    def login():
        return guest().auth.aws.ec2_login(tagged["pkcs7"], nonce="mine", role="tagged")["auth"]

    made = aws.create_role_tags(
        "tagged", policies=["web"], max_ttl="2m", instance_id=tagged["instance_id"]
    )["data"]
    expect(made["tag_key"], "VaultRole", "tag_key")
    tag = made["tag_value"]
    desk.tag(tagged["instance_id"], {made["tag_key"]: tag})
    auth = login()
    expect(sorted(auth["policies"]), ["default", "web"], "policies narrowed by the tag")
    expect_members(auth["metadata"], {"role_tag_max_ttl": "2m0s"}, "metadata")
    did("made a role tag, which narrows what its instance gets")

    missing(aws.list_blacklist_tags)
    empty(aws.place_role_tags_in_blacklist(tag), "place_role_tags_in_blacklist")
    expect(aws.list_blacklist_tags(), {"keys": [tag]}, "list_blacklist_tags")
    expect(
        sorted(aws.read_role_tag_blacklist(tag)), ["creation_time", "expiration_time"], "read_role_tag_blacklist"
    )
    refused("role_tag_deny_listed", exceptions.InvalidRequest, login)
    empty(aws.delete_blacklist_tags(tag), "delete_blacklist_tags")
    missing(aws.read_role_tag_blacklist, tag)
    login()
    # Stays until tidying takes it.
    empty(aws.place_role_tags_in_blacklist(tag), "place_role_tags_in_blacklist")
    did("barred the tag, was refused with it, and let it in again")
