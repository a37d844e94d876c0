"""Tidying of both lists by hand."""
import time

from checks import did, expect, missing

WAIT_SECONDS = 10


def tidy(client, desk, briefing):
    aws = client.auth.aws
    # Entries end after five minutes; a minute more is the buffer.
    desk.let_pass(330)
    # By position: hvac 2.4.0 hands its keyword `safety_buffer` on under the misspelt name, which its method does not take.
    accepted(aws.tidy_identity_whitelist_entries("1m"))
    accepted(aws.tidy_blacklist_tags("1m"))
    until(lambda: ended(client))
    expect(len(aws.list_identity_whitelist()["keys"]), 4, "entries within the buffer")
    expect(len(aws.list_blacklist_tags()["keys"]), 1, "tags within the buffer")
    desk.let_pass(60)
    accepted(aws.tidy_identity_whitelist_entries("1m"))
    accepted(aws.tidy_blacklist_tags("1m"))
    until(lambda: ended(client))
    missing(aws.list_blacklist_tags)
    expect(len(aws.list_identity_whitelist()["keys"]), 4, "entries of instances that still exist")
    for instance in briefing["instances"].values():
        desk.terminate(instance["instance_id"])
    accepted(aws.tidy_identity_whitelist_entries("1m"))
    until(lambda: ended(client))
    missing(aws.list_identity_whitelist)
    did("tidied both lists: entries go once expiration and buffer have passed and the instance is terminated")


def accepted(response):
    expect(response.status_code, 202, "tidy")
    expect(len(response.json()["warnings"]), 1, "what is said of the run")


def ended(client):
    """Whether no run goes on; hvac's generic read serves what it has no method for."""
    status = client.read("auth/aws/tidy/status")["data"]
    runs = [status[name] for name in ("identity-accesslist", "roletag-denylist")]
    return all(run["finished_time"] is not None and not run["running"] for run in runs)


def until(condition):
    end = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("a tidy run did not end")
        time.sleep(0.02)
