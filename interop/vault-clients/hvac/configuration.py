"""Client, identity, certificates, STS roles and tidy settings: written, read, listed, deleted."""
from base64 import b64decode

from checks import did, empty, expect, expect_members, missing

SERVER_ID = "vault.example.org"


def configure(client, briefing):
    aws = client.auth.aws
    client_configuration(aws)
    identity(aws)
    certificates(aws, briefing)
    sts_roles(aws, briefing)
    tidy_settings(aws)


def client_configuration(aws):
    missing(aws.read_config)
    secret = {"access_key": "AKIAIOSFODNN7EXAMPLE", "secret_key": "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"}
    empty(aws.configure(max_retries=3, **secret), "configure")
    empty(aws.delete_config(), "delete_config")
    missing(aws.read_config)
    empty(aws.configure(iam_server_id_header_value=SERVER_ID, **secret), "configure")
    # A second write changes only what it names.
    empty(aws.configure(sts_endpoint="https://sts.us-east-1.amazonaws.com", sts_region="us-east-1"), "configure")
    empty(aws.configure(sts_endpoint="", sts_region=""), "configure")
    config = aws.read_config()
    expect_members(
        config,
        {
            "access_key": secret["access_key"],
            "iam_server_id_header_value": SERVER_ID,
            "sts_endpoint": "",
            "sts_region": "",
            "max_retries": -1,
        },
        "read_config",
    )
    expect("secret_key" in config, False, "secret_key in read_config")
    did("configured the client, read it without its secret, deleted it")


def identity(aws):
    empty(
        aws.configure_identity_integration(
            iam_alias="unique_id", ec2_alias="instance_id", ec2_metadata=["account_id", "auth_type", "region"]
        ),
        "configure_identity_integration",
    )
    expect_members(
        aws.read_identity_integration(),
        {"iam_alias": "unique_id", "ec2_alias": "instance_id", "ec2_metadata": ["account_id", "auth_type", "region"]},
        "read_identity_integration",
    )
    did("configured identity integration and read it")


def certificates(aws, briefing):
    missing(aws.list_certificate_configurations)
    for name in ("spare", "ireland"):
        # hvac calls the type `document_type`, which Vault does not know either: the default holds.
        aws.create_certificate_configuration(name, briefing["foreign_certificate"], document_type="pkcs7")
    expect(aws.list_certificate_configurations(), {"keys": ["ireland", "spare"]}, "list_certificate_configurations")
    pem = b64decode(briefing["foreign_certificate"]).decode()
    certificate = aws.read_certificate_configuration("ireland")
    expect(certificate["type"], "pkcs7", "type")
    expect(certificate["aws_public_cert"].strip(), pem.strip(), "aws_public_cert")
    empty(aws.delete_certificate_configuration("spare"), "delete_certificate_configuration")
    missing(aws.read_certificate_configuration, "spare")
    did("registered certificates, read, listed and deleted them")


def sts_roles(aws, briefing):
    partner = briefing["partner"]
    missing(aws.list_sts_roles)
    empty(aws.create_sts_role(partner["account"], partner["role_arn"]), "create_sts_role")
    expect(aws.read_sts_role(partner["account"])["sts_role"], partner["role_arn"], "read_sts_role")
    expect(aws.list_sts_roles(), {"keys": [partner["account"]]}, "list_sts_roles")
    empty(aws.delete_sts_role(partner["account"]), "delete_sts_role")
    missing(aws.read_sts_role, partner["account"])
    did("associated an STS role, read, listed and deleted it")


def tidy_settings(aws):
    for configure_tidy, read_tidy, delete_tidy in (
        (aws.configure_identity_whitelist_tidy, aws.read_identity_whitelist_tidy, aws.delete_identity_whitelist_tidy),
        (aws.configure_role_tag_blacklist_tidy, aws.read_role_tag_blacklist_tidy, aws.delete_role_tag_blacklist_tidy),
    ):
        missing(read_tidy)
        empty(configure_tidy(safety_buffer="10m", disable_periodic_tidy=True), configure_tidy.__name__)
        expect(read_tidy(), {"safety_buffer": 600, "disable_periodic_tidy": True}, read_tidy.__name__)
        empty(delete_tidy(), delete_tidy.__name__)
        missing(read_tidy)
    did("configured tidying of both lists, read and deleted it")


def remove(client, briefing):
    """Back to the beginning, for the next run."""
    aws = client.auth.aws
    empty(aws.delete_certificate_configuration("ireland"), "delete_certificate_configuration")
    empty(aws.delete_sts_role(briefing["partner"]["account"]), "delete_sts_role")
    empty(aws.delete_config(), "delete_config")
    missing(aws.list_certificate_configurations)
    missing(aws.list_sts_roles)
    did("deleted the configuration again")
