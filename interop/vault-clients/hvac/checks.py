"""How a program holds answers to what they should be, and says what it did."""
import sys

from hvac import exceptions


def expect(actual, wanted, what):
    if actual != wanted:
        raise AssertionError(f"{what}: {actual!r}, where {wanted!r} is due")


def expect_members(actual, wanted, what):
    """Of a dict only the members that are named."""
    expect({name: actual.get(name) for name in wanted}, wanted, what)


def refused(code, kind, call, *args, **kwargs):
    """The call must be refused with hvac's exception of this kind and Postern's code; None where no code is due."""
    try:
        call(*args, **kwargs)
    except kind as error:
        expect(type(error), kind, "the exception")
        expect(error.json.get("code"), code, "the code")
        return
    raise AssertionError(f"{call.__name__} was let through, where {code} is due")


def missing(call, *args, **kwargs):
    """404 with no word of why, as for a thing that is not there and for an empty list."""
    try:
        call(*args, **kwargs)
    except exceptions.InvalidPath as error:
        expect(error.json, {"errors": []}, "the body")
        return
    raise AssertionError(f"{call.__name__} found something, where nothing is due")


def empty(response, what):
    """hvac returns the bare response of anything but 200: here 204 without a body."""
    expect((response.status_code, response.text), (204, ""), what)


def did(text):
    print(f"  hvac: {text}")
    sys.stdout.flush()
