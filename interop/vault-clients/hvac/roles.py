"""Roles of both types: written, read, listed, deleted."""
from hvac import exceptions

from checks import did, empty, expect, expect_members, missing, refused


def write_and_read(client, briefing):
    aws = client.auth.aws
    missing(aws.list_roles)
    empty(
        aws.create_role(
            "Web",
            auth_type="ec2",
            bound_ami_id=[briefing["image"]],
            bound_region="us-east-1,eu-west-1",
            ttl="1m",
            max_ttl="4m",
            policies=["web", "metrics"],
        ),
        "create_role",
    )
    empty(
        aws.create_role(
            "people",
            auth_type="iam",
            bound_iam_principal_arn=[briefing["user"]["arn"], briefing["session"]["arn"]],
            resolve_aws_unique_ids=True,
            policies="deploy",
        ),
        "create_role",
    )
    empty(
        aws.create_role(
            "tagged",
            auth_type="ec2",
            bound_account_id=["111122223333"],
            role_tag="VaultRole",
            policies=["web", "metrics"],
        ),
        "create_role",
    )
    empty(
        aws.create_role(
            "once", auth_type="ec2", bound_ami_id=briefing["image"], disallow_reauthentication=True
        ),
        "create_role",
    )
    # Names are one whatever their case (ROLE-2).
    expect(aws.list_roles(), {"keys": ["once", "people", "tagged", "web"]}, "list_roles")
    expect_members(
        aws.read_role("WEB"),
        {
            "auth_type": "ec2",
            "bound_ami_id": [briefing["image"]],
            "bound_region": ["us-east-1", "eu-west-1"],
            "token_policies": ["metrics", "web"],
            "token_ttl": 60,
            "token_max_ttl": 240,
        },
        "read_role",
    )
    expect(aws.read_role("tagged")["role_tag"], "VaultRole", "role_tag")
    expect_members(
        aws.read_role("people"),
        {"auth_type": "iam", "resolve_aws_unique_ids": True, "token_policies": ["deploy"]},
        "read_role",
    )
    refused("role_constraint_missing", exceptions.InvalidRequest, aws.create_role, "open", auth_type="ec2")
    empty(aws.delete_role("once"), "delete_role")
    missing(aws.read_role, "once")
    did("wrote roles, read, listed and deleted them")


def remove(client):
    aws = client.auth.aws
    for role in aws.list_roles()["keys"]:
        empty(aws.delete_role(role), "delete_role")
    missing(aws.list_roles)
    did("deleted the roles again")
