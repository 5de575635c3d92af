"""Our own check for schemathesis. The description of a route lists its statuses, and the contract has some 500s among
them. A reply must never have the message of an unforeseen failure."""

import schemathesis


@schemathesis.check
def foreseen(ctx, response, case):
    if b"Something went wrong on our side" in response.content:
        raise AssertionError("an unforeseen failure")
