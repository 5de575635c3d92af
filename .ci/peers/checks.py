"""Our own check for schemathesis: which statuses a route may answer its description says, so a 500 may be the
contract's. What it may never say is that something went wrong that nobody thought of."""

import schemathesis


@schemathesis.check
def foreseen(ctx, response, case):
    if b"Something went wrong on our side" in response.content:
        raise AssertionError("an unforeseen failure")
